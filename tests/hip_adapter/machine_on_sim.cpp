// The adapter's machine as simulated devices, with FERRY_SIM and its like. Memory is given back without the waits that
// real runtimes add, so that a missing one of the backend's is found.
#include <map>
#include <mutex>
#include <vector>

#include "hip_adapter/machine.hpp"
#include "hip_adapter/on_sim.hpp"

namespace ferry::hip_adapter {

namespace {
using backend::sim::SimSpace;

backend::sim::SimBackend& devices() {
  static auto& instance = *new backend::sim::SimBackend("adapter", backend::sim::Settings::from_environment());
  return instance;
}
SimSpace& space(int device) {
  return static_cast<SimSpace&>(devices().space(device));
}
thread_local int current = 0;
constexpr int invalid_value = 1, invalid_device = 101, not_ready = 600, not_registered = 713;

std::mutex registrations_mutex;
auto& registrations = *new std::map<void*, std::vector<std::byte*>>;
}  // namespace

SimSpace& current_space() {
  return space(current);
}

namespace machine {

int device_count() {
  return devices().device_count();
}
int multiprocessors(int) {
  return 4;
}
int current_device() {
  return current;
}
int set_device(int device) {
  if (device < 0 || device >= device_count()) return invalid_device;
  current = device;
  return 0;
}
int memory_info(std::size_t* free, std::size_t* total) {
  return status_of([&] {
    const MemoryInfo info = current_space().memory_info();
    *free = info.free, *total = info.total;
  });
}
int synchronize_device() {
  return status_of([] { current_space().synchronize_device(); });
}

int allocate(MemoryKind kind, std::size_t bytes, backend::MemoryFlags flags, void* stream, void** address) {
  return status_of([&] { *address = current_space().allocate(kind, bytes, flags, stream); });
}
int deallocate(int device, MemoryKind kind, void* address, std::size_t bytes, bool direct, void* stream) {
  return status_of([&] {
    space(device).deallocate(kind, address, bytes, stream);
    if (direct) space(device).synchronize_stream(stream);
  });
}
int pool_usage(std::size_t* reserved, std::size_t* used) {
  *reserved = *used = 0;  // a simulated device's free memory is all of it
  return 0;
}
int trim_pool() {
  return 0;
}

// The backend registers whole pages, of which the first and the last may hold what is nobody's business. The simulated
// device watches pages that are one registration's all over, so those two are registered by halves.
int register_host(void* address, std::size_t bytes, bool portable) {
  const std::size_t half = backend::sim::page_size() / 2, inner = bytes > 4 * half ? bytes - 4 * half : 0;
  const std::lock_guard lock(registrations_mutex);
  std::vector<std::byte*> begins;
  auto* at = static_cast<std::byte*>(address);
  const int status = status_of([&] {
    for (const std::size_t size : {half, half, inner, half, half}) {
      if (size == 0 || at == static_cast<std::byte*>(address) + bytes) continue;
      current_space().register_host(at, size, {.portable = portable});
      begins.push_back(at);
      at += size;
    }
  });
  if (status == 0) {
    registrations[address] = begins;
  } else {
    for (std::byte* begin : begins) current_space().unregister_host(begin);
  }
  return status;
}
int unregister_host(void* address) {
  const std::lock_guard lock(registrations_mutex);
  const auto found = registrations.find(address);
  if (found == registrations.end()) return not_registered;
  return status_of([&] {
    for (std::byte* begin : found->second) current_space().unregister_host(begin);
    registrations.erase(found);
  });
}
int query(const void* address, backend::PointerInfo* info) {
  for (int device = 0; device < device_count(); ++device) {
    const backend::PointerInfo found = space(device).query(address);
    if (found.base != nullptr && (info->base == nullptr || device == current)) *info = found;
  }
  return 0;
}

int copy(void* to, const void* from, std::size_t bytes, void* stream) {
  return status_of([&] { current_space().copy(to, from, bytes, stream); });
}
int copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                 std::size_t rows, void* stream) {
  return status_of([&] { current_space().copy_pitched(to, to_pitch, from, from_pitch, width, rows, stream); });
}
int copy_peer(void* to, int to_device, const void* from, int from_device, std::size_t bytes, void* stream) {
  return status_of([&] { space(to_device).copy_peer(to, space(from_device), from, bytes, stream); });
}
int prefetch(const void* address, std::size_t bytes, bool to_device, void* stream) {
  return status_of([&] { current_space().prefetch(const_cast<void*>(address), bytes, to_device, stream); });
}

int create_stream(bool non_blocking, int priority, void** stream) {
  return status_of([&] { *stream = current_space().create_stream({non_blocking, priority}); });
}
int destroy_stream(void* stream) {
  if (stream == nullptr) return invalid_value;
  current_space().destroy_stream(stream);
  return 0;
}
int synchronize_stream(void* stream) {
  return status_of([&] { current_space().synchronize_stream(stream); });
}
int query_stream(void* stream) {
  bool is_done = false;
  const int status = status_of([&] { is_done = current_space().is_stream_done(stream); });
  return status != 0 || is_done ? status : not_ready;
}
int capture_status(void*, int* status) {
  *status = 0;
  return 0;
}
int exchange_capture_mode(int* mode) {
  thread_local int current_mode = 0;
  std::swap(*mode, current_mode);
  return 0;
}
void* per_thread_stream() {
  thread_local std::map<int, void*> streams;  // they live as long as the process, as threads' streams may be used late
  void*& stream = streams[current];
  if (stream == nullptr) stream = current_space().create_stream({});
  return stream;
}

int create_event(bool timing, void** event) {
  return status_of([&] { *event = current_space().create_event(timing); });
}
int destroy_event(void* event) {
  current_space().destroy_event(event);
  return 0;
}
int record(void* event, void* stream) {
  return status_of([&] { current_space().record(event, stream); });
}
int wait(void* stream, void* event) {
  return status_of([&] { current_space().wait(stream, event); });
}
int query_event(void* event) {
  bool is_done = false;
  const int status = status_of([&] { is_done = current_space().is_event_done(event); });
  return status != 0 || is_done ? status : not_ready;
}
int synchronize_event(void* event) {
  return status_of([&] { current_space().synchronize_event(event); });
}
int elapsed_ms(void* start, void* stop, float* milliseconds) {
  return status_of([&] { *milliseconds = current_space().elapsed_ms(start, stop); });
}

}  // namespace machine
}  // namespace ferry::hip_adapter
