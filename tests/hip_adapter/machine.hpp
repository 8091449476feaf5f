// What the adapter's HIP calls stand on: the simulated device (machine_on_sim.cpp) or CUDA (machine_on_cuda.cpp),
// chosen when a program is linked. Statuses are numbers that HIP and CUDA share, 0 being success; null is the legacy
// stream.
#pragma once

#include <cstddef>
#include <ferry/backend/memory_space.hpp>

namespace ferry::hip_adapter::machine {

int device_count();
int multiprocessors(int device);
/// The calling thread's device.
int current_device();
int set_device(int device);
int memory_info(std::size_t* free, std::size_t* total);
int synchronize_device();

/// @param flags  direct: a plain allocation; else device memory is the pool's, in the stream's order
int allocate(MemoryKind kind, std::size_t bytes, backend::MemoryFlags flags, void* stream, void** address);
/// Memory of `device`; for a plain allocation, at once.
int deallocate(int device, MemoryKind kind, void* address, std::size_t bytes, bool direct, void* stream);
/// What the pool holds, and what of it is in use.
int pool_usage(std::size_t* reserved, std::size_t* used);
int trim_pool();
int register_host(void* address, std::size_t bytes, bool portable);
int unregister_host(void* address);
int query(const void* address, backend::PointerInfo* info);

int copy(void* to, const void* from, std::size_t bytes, void* stream);
int copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                 std::size_t rows, void* stream);
int copy_peer(void* to, int to_device, const void* from, int from_device, std::size_t bytes, void* stream);
int prefetch(const void* address, std::size_t bytes, bool to_device, void* stream);

int create_stream(bool non_blocking, int priority, void** stream);
int destroy_stream(void* stream);
int synchronize_stream(void* stream);
int query_stream(void* stream);
/// Its capture status: 0 none, 1 active, 2 invalidated.
int capture_status(void* stream, int* status);
/// Sets the thread's capture mode, and hands out the former: 0 global, 1 of the thread, 2 relaxed.
int exchange_capture_mode(int* mode);
void* per_thread_stream();

int create_event(bool timing, void** event);
int destroy_event(void* event);
int record(void* event, void* stream);
int wait(void* stream, void* event);
int query_event(void* event);
int synchronize_event(void* event);
int elapsed_ms(void* start, void* stop, float* milliseconds);

}  // namespace ferry::hip_adapter::machine
