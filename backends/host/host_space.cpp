#include "backends/host/host_space.hpp"

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "ferry/backend/strided.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend {

namespace {

constexpr std::align_val_t alignment{256};
constexpr int invalid_value = 1;

// A stream has no work of its own here; an address makes handles distinct.
struct HostStream {};
struct HostEvent {
  bool timing = false;
  std::chrono::steady_clock::time_point recorded{};
};

std::size_t machine_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

std::size_t capacity_from_environment() {
  const char* text = std::getenv("FERRY_HOST_MEMORY");
  if (text == nullptr || *text == '\0') return machine_memory();
  const char* end = text + std::strlen(text);
  std::size_t value = 0;
  const auto [suffix, error] = std::from_chars(text, end, value);
  const std::string_view unit(suffix, static_cast<std::size_t>(end - suffix));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (error != std::errc() || shift < 0 || value > SIZE_MAX >> shift) {
    throw Error("ferry: FERRY_HOST_MEMORY is '" + std::string(text) + "'; write bytes, or a number with K, M or G");
  }
  return value << shift;
}

}  // namespace

HostSpace::HostSpace() : capacity_(capacity_from_environment()) {}
HostSpace::~HostSpace() = default;

MemoryInfo HostSpace::memory_info() const { return {capacity_ - ledger_.used(), capacity_}; }

void* HostSpace::allocate(MemoryKind kind, std::size_t bytes, HostFlags, NativeStream) {
  ledger_.reserve(bytes, capacity_);
  void* address = ::operator new(bytes, alignment, std::nothrow);
  if (address == nullptr) {
    ledger_.unreserve(bytes);
    const MemoryInfo info = memory_info();
    throw OutOfMemory("host", bytes, info.free, info.total);
  }
  try {
    ledger_.add_allocation(address, bytes, kind);
  } catch (...) {
    ::operator delete(address, alignment);
    ledger_.unreserve(bytes);
    throw;
  }
  return address;
}

void HostSpace::deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream) {
  ledger_.remove_allocation(address, bytes, kind);
  ::operator delete(address, alignment);
  ledger_.unreserve(bytes);
}

void HostSpace::register_host(void* address, std::size_t bytes, HostFlags) {
  if (bytes > 0) ledger_.add_registration(address, bytes);
}
void HostSpace::unregister_host(void* address) { ledger_.remove_registration(address); }
PointerInfo HostSpace::query(const void* address) const noexcept { return ledger_.find(address); }

void HostSpace::copy(void* to, const void* from, std::size_t bytes, NativeStream) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void HostSpace::copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                             std::size_t width, std::size_t rows, NativeStream) {
  if (width == 0) return;
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(static_cast<std::byte*>(to) + row * to_pitch, static_cast<const std::byte*>(from) + row * from_pitch,
                width);
  }
}

void HostSpace::copy_strided(const StridedCopy& copy, NativeStream) { host_copy(copy); }
void HostSpace::fill_strided(const StridedFill& fill, NativeStream) { host_fill(fill); }
void HostSpace::convert_strided(const StridedConvert& convert, NativeStream) { host_convert(convert); }
void HostSpace::run(Task task, NativeStream) { task(); }

NativeStream HostSpace::create_stream(StreamFlags) { return new HostStream; }
void HostSpace::destroy_stream(NativeStream stream) noexcept { delete static_cast<HostStream*>(stream); }
void HostSpace::synchronize_stream(NativeStream) {}
bool HostSpace::is_stream_done(NativeStream) { return true; }
void HostSpace::synchronize_device() {}

NativeEvent HostSpace::create_event(bool timing) { return new HostEvent{timing}; }
void HostSpace::destroy_event(NativeEvent event) noexcept { delete static_cast<HostEvent*>(event); }
void HostSpace::record(NativeEvent event, NativeStream) {
  auto& e = *static_cast<HostEvent*>(event);
  if (e.timing) e.recorded = std::chrono::steady_clock::now();
}
void HostSpace::wait(NativeStream, NativeEvent) {}
bool HostSpace::is_event_done(NativeEvent) { return true; }
void HostSpace::synchronize_event(NativeEvent) {}
float HostSpace::elapsed_ms(NativeEvent start, NativeEvent stop) {
  const auto &a = *static_cast<HostEvent*>(start), &b = *static_cast<HostEvent*>(stop);
  if (!a.timing || !b.timing) throw DeviceError("elapsed_ms", invalid_value, "an event was made without timing");
  return std::chrono::duration<float, std::milli>(b.recorded - a.recorded).count();
}

}  // namespace ferry::inline v0::backend
