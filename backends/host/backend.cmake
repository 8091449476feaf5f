# Always built: the fallback of every other backend.
set(FERRY_BACKEND_SOURCES host_backend.cpp host_handles.cpp host_space.cpp)
# What it shares with the simulated device, which is always built too.
list(APPEND FERRY_BACKEND_SOURCES ../cpu/sizes.cpp ../cpu/task_errors.cpp)
