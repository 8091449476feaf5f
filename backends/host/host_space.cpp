#include "backends/host/host_space.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "backends/cpu/rows.hpp"
#include "backends/cpu/sizes.hpp"
#include "backends/cpu/task_errors.hpp"
#include "ferry/backend/fault.hpp"
#include "ferry/backend/strided.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend {

namespace {

// Long blocks are given huge pages where the system has them: a fresh one is touched for the first time page by page,
// which takes longer than filling it.
constexpr std::size_t huge_page = std::size_t{2} << 20;
std::align_val_t alignment_of(std::size_t bytes) noexcept {
  return std::align_val_t{bytes < 2 * huge_page ? 256 : huge_page};
}

}  // namespace

HostSpace::HostSpace() : capacity_(cpu::bytes_from_environment("FERRY_HOST_MEMORY", cpu::machine_memory())) {}
HostSpace::~HostSpace() = default;

MemoryInfo HostSpace::memory_info() const {
  return {capacity_ - ledger_.used(), capacity_};
}

void* HostSpace::allocate(MemoryKind kind, std::size_t bytes, MemoryFlags, NativeStream stream) {
  handles_.check_stream("allocate", stream);
  if (bytes == 0) return nullptr;
  ledger_.reserve(bytes, capacity_);
  void* address = ::operator new(bytes, alignment_of(bytes), std::nothrow);
  if (address == nullptr) {
    ledger_.unreserve(bytes);
    const MemoryInfo info = memory_info();
    throw OutOfMemory("host", bytes, info.free, info.total);
  }
  if (bytes >= 2 * huge_page) static_cast<void>(madvise(address, bytes / huge_page * huge_page, MADV_HUGEPAGE));
  try {
    ledger_.add_allocation(address, bytes, kind);
  } catch (...) {
    ::operator delete(address, alignment_of(bytes));
    ledger_.unreserve(bytes);
    throw;
  }
  return address;
}

void HostSpace::deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream stream) {
  handles_.check_stream("deallocate", stream);
  if (address == nullptr && bytes == 0) return;
  ledger_.remove_allocation(address, bytes, kind);
  ::operator delete(address, alignment_of(bytes));
  ledger_.unreserve(bytes);
}

void HostSpace::register_host(void* address, std::size_t bytes, MemoryFlags) {
  if (bytes > 0) ledger_.add_registration(address, bytes);
}
void HostSpace::unregister_host(void* address) {
  ledger_.remove_registration(address);
}
PointerInfo HostSpace::query(const void* address) const noexcept {
  PointerInfo info = ledger_.find(address);
  info.device_pointer = const_cast<void*>(address);  // the CPU's "kernels" reach all host memory
  return info;
}

void HostSpace::copy(void* to, const void* from, std::size_t bytes, NativeStream stream) {
  handles_.check_stream("copy", stream);
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void HostSpace::copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                             std::size_t width, std::size_t rows, NativeStream stream) {
  handles_.check_stream("copy_pitched", stream);
  if (width > to_pitch || width > from_pitch) {
    fault::raise("host", "copy_pitched", fault::invalid_value, "a row is wider than the distance between rows");
  }
  cpu::copy_rows(to, to_pitch, from, from_pitch, width, rows);
}

void HostSpace::copy_strided(const StridedCopy& copy, NativeStream stream) {
  handles_.check_stream("copy_strided", stream);
  host_copy(copy);
}
void HostSpace::fill_strided(const StridedFill& fill, NativeStream stream) {
  handles_.check_stream("fill_strided", stream);
  host_fill(fill);
}
void HostSpace::convert_strided(const StridedConvert& convert, NativeStream stream) {
  handles_.check_stream("convert_strided", stream);
  host_convert(convert);
}

void HostSpace::run(Task task, NativeStream stream) {
  handles_.check_stream("run", stream);
  try {
    task();
  } catch (...) {
    std::rethrow_exception(cpu::as_ferry_error("host", std::current_exception()));
  }
}

NativeStream HostSpace::create_stream(StreamFlags) {
  return handles_.create_stream();
}
void HostSpace::destroy_stream(NativeStream stream) noexcept {
  handles_.destroy_stream(stream);
}
void HostSpace::synchronize_stream(NativeStream stream) {
  handles_.check_stream("synchronize_stream", stream);
}
bool HostSpace::is_stream_done(NativeStream stream) {
  handles_.check_stream("is_stream_done", stream);
  return true;
}
void HostSpace::synchronize_device() {}

NativeEvent HostSpace::create_event(bool timing) {
  return handles_.create_event(timing);
}
void HostSpace::destroy_event(NativeEvent event) noexcept {
  handles_.destroy_event(event);
}
void HostSpace::record(NativeEvent event, NativeStream stream) {
  handles_.check_stream("record", stream);
  handles_.record(event);
}
void HostSpace::wait(NativeStream stream, NativeEvent event) {
  handles_.check_stream("wait", stream);
  handles_.check_event("wait", event);
}
bool HostSpace::is_event_done(NativeEvent event) {
  handles_.check_event("is_event_done", event);
  return true;
}
void HostSpace::synchronize_event(NativeEvent event) {
  handles_.check_event("synchronize_event", event);
}
float HostSpace::elapsed_ms(NativeEvent start, NativeEvent stop) {
  return handles_.elapsed_ms(start, stop);
}

}  // namespace ferry::inline v0::backend
