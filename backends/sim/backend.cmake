# Always built: a device for machines that have none.
set(FERRY_BACKEND_SOURCES
    sim_arena.cpp sim_backend.cpp sim_control.cpp sim_events.cpp sim_executor.cpp sim_fault_handler.cpp sim_faults.cpp
    sim_flights.cpp sim_footprint.cpp sim_kernels.cpp sim_memory.cpp sim_races.cpp sim_report.cpp sim_schedule.cpp
    sim_simulator.cpp sim_single_step.cpp sim_space.cpp)
