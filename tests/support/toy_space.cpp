#include "support/toy_space.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ferry/error.hpp>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace ferry::test {

using backend::NativeEvent;
using backend::NativeStream;

namespace {

constexpr std::size_t mapping_bytes = std::size_t{8} << 30;
constexpr std::align_val_t alignment{256};
constexpr int poison = 0xDD;

[[noreturn]] void fail(const char* call, int code, const char* name, const char* why) {
  throw DeviceError(std::string("toy: ") + call + " (" + why + ")", code, name);
}
[[noreturn]] void invalid_value(const char* call, const char* why) {
  fail(call, 1, "InvalidValue", why);
}
[[noreturn]] void invalid_handle(const char* call, const char* why) {
  fail(call, 400, "InvalidResourceHandle", why);
}

std::size_t capacity_from_environment() {
  const char* text = std::getenv("FERRY_TOY_MEMORY");
  if (text == nullptr || *text == '\0') return std::size_t{64} << 20;
  char* suffix = nullptr;
  const std::size_t number = std::strtoull(text, &suffix, 10);
  const std::string unit = suffix;
  if (number == 0 || !(unit.empty() || unit == "K" || unit == "M" || unit == "G")) {
    throw std::runtime_error("toy backend: FERRY_TOY_MEMORY is no number of bytes");
  }
  return number << (unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0);
}

std::size_t machine_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
}

void copy_rows(std::byte* to, std::size_t to_pitch, const std::byte* from, std::size_t from_pitch, std::size_t width,
               std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) std::memcpy(to + row * to_pitch, from + row * from_pitch, width);
}

bool is_empty(const Dims& extents) {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

}  // namespace

ToySpace::ToySpace(int index)
    : index_(index), device_memory_(mapping_bytes), mapped_memory_(mapping_bytes), ledger_("toy", index) {
  set_capacity(capacity_from_environment());
}
ToySpace::~ToySpace() = default;

ToyCounts ToySpace::counts() const {
  const Lock lock(mutex_);
  ToyCounts counts = counts_;
  counts.pending = executor_.pending();
  return counts;
}

std::size_t ToySpace::set_capacity(std::size_t bytes) {
  const Lock lock(mutex_);
  const std::size_t former = device_memory_.limit();
  device_memory_.limit(bytes);
  mapped_memory_.limit(bytes);
  return former;
}

void ToySpace::check_stream(const char* call, NativeStream stream) const {
  if (!executor_.is_live(stream)) invalid_handle(call, "the stream was destroyed, or never was this device's");
}

MemoryInfo ToySpace::memory_info() const {
  const Lock lock(mutex_);
  const std::size_t limit = device_memory_.limit(), used = device_memory_.used();
  return {limit > used ? limit - used : 0, limit};
}

void* ToySpace::allocate(MemoryKind kind, std::size_t bytes, backend::MemoryFlags, NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("allocate", stream);
  if (bytes == 0) return nullptr;
  void* address = nullptr;
  if (kind == MemoryKind::device) {
    address = device_memory_.allocate(bytes);
  } else if (kind == MemoryKind::mapped) {
    if (void* outer = mapped_memory_.allocate(bytes)) address = mapped_memory_.inner(outer);
  } else if (bytes <= machine_memory()) {
    address = ::operator new(bytes, alignment, std::nothrow);
  }
  if (address == nullptr) {
    const MemoryInfo info = memory_info();
    throw OutOfMemory("toy:" + std::to_string(index_), bytes, info.free, info.total);
  }
  ledger_.add_allocation(address, bytes, kind);
  ++counts_.allocations;
  return address;
}

void ToySpace::deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("deallocate", stream);
  if (address == nullptr && bytes == 0) return;
  ledger_.remove_allocation(address, bytes, kind);
  ++counts_.deallocations;
  executor_.enqueue(stream, Task([this, kind, address, bytes] {
                      if (kind == MemoryKind::device) {
                        device_memory_.free(address);
                      } else if (kind == MemoryKind::mapped) {
                        mapped_memory_.free(mapped_memory_.outer(address));
                      } else {
                        std::memset(address, poison, bytes);
                        ::operator delete(address, alignment);
                      }
                    }));
}

void ToySpace::register_host(void* address, std::size_t bytes, backend::MemoryFlags) {
  if (bytes > 0) ledger_.add_registration(address, bytes);
}
void ToySpace::unregister_host(void* address) {
  const Lock lock(mutex_);
  ledger_.remove_registration(address);
  executor_.run_all();
}

backend::PointerInfo ToySpace::query(const void* address) const noexcept {
  const bool outer_mapped = mapped_memory_.has_outer(address);
  backend::PointerInfo info = ledger_.find(outer_mapped ? mapped_memory_.inner(address) : address);
  if (info.base == nullptr || info.kind == MemoryKind::pageable) return {};
  info.device = index_;
  if (mapped_memory_.has_inner(info.base)) {
    info.device_pointer = outer_mapped ? const_cast<void*>(address) : mapped_memory_.outer(address);
  } else if (info.kind == MemoryKind::pinned) {
    info.device_pointer = nullptr;
  }
  return info;
}

bool ToySpace::owns_address(const void* address) const noexcept {
  return device_memory_.has_outer(address) || mapped_memory_.has_outer(address) || mapped_memory_.has_inner(address);
}

ToySpace::Operand ToySpace::reach(const char* call, const void* address, index_t begin, index_t end,
                                  bool by_kernel) const {
  const auto* const first = static_cast<const std::byte*>(address) + begin;
  const bool outer_mapped = mapped_memory_.has_outer(first);
  const std::byte* const known = outer_mapped ? mapped_memory_.inner(first) : first;
  // Registrations may lie side by side. Memory that is only in part page-locked is treated as pageable: that is right
  // for both parts.
  bool inside = true;
  MemoryKind kind = ledger_.find(known).kind;
  for (const std::byte* at = known; inside && at < known + (end - begin);) {
    const backend::PointerInfo info = ledger_.find(at);
    inside = info.base != nullptr && info.kind == kind;
    at = static_cast<const std::byte*>(info.base) + info.bytes;
  }
  if (owns_address(first) && !inside) invalid_value(call, "the range is not, or not all, allocated");
  if (neighbour_ != nullptr && neighbour_->owns_address(first)) invalid_value(call, "the memory is another device's");
  if (!inside) kind = MemoryKind::pageable;
  if (by_kernel && (kind == MemoryKind::pageable || kind == MemoryKind::pinned)) {
    invalid_value(call, "kernels do not reach this memory");
  }
  std::byte* const engine =
      device_memory_.has_outer(first) ? device_memory_.inner(first) : const_cast<std::byte*>(known);
  return {engine - begin, kind == MemoryKind::pageable};
}

std::byte* ToySpace::kernel_operand(const char* call, const void* address, const Dims& extents, const Dims& strides,
                                    index_t itemsize) const {
  index_t begin = 0, end = itemsize;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const index_t reach_of_axis = strides[axis] * (extents[axis] - 1);
    (reach_of_axis < 0 ? begin : end) += reach_of_axis;
  }
  return reach(call, address, begin, end, true).address;
}

void ToySpace::copy(void* to, const void* from, std::size_t bytes, NativeStream stream) {
  copy_pitched(to, bytes, from, bytes, bytes, 1, stream);
}

void ToySpace::copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t rows, NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("copy", stream);
  if (width > to_pitch || width > from_pitch) invalid_value("copy", "a row is wider than the distance between rows");
  if (width == 0 || rows == 0) return;
  const auto span = [&](std::size_t pitch) { return static_cast<index_t>((rows - 1) * pitch + width); };
  const Operand target = reach("copy", to, 0, span(to_pitch), false);
  const Operand source = reach("copy", from, 0, span(from_pitch), false);
  Operation operation;
  if (source.pageable) {
    // The source is free again when the call returns, so what it holds now is what travels.
    std::vector<std::byte> snapshot(width * rows);
    copy_rows(snapshot.data(), width, source.address, from_pitch, width, rows);
    operation = executor_.enqueue(stream, Task([=, snapshot = std::move(snapshot)] {
                                    copy_rows(target.address, to_pitch, snapshot.data(), width, width, rows);
                                  }));
  } else {
    operation = executor_.enqueue(
        stream, Task([=] { copy_rows(target.address, to_pitch, source.address, from_pitch, width, rows); }));
  }
  ++counts_.copies;
  if (target.pageable) executor_.wait_for(operation);
}

void ToySpace::copy_strided(const backend::StridedCopy& copy, NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("copy_strided", stream);
  if (is_empty(copy.extents)) return;
  backend::StridedCopy inside = copy;
  inside.to = kernel_operand("copy_strided", copy.to, copy.extents, copy.to_strides, copy.itemsize);
  inside.from = kernel_operand("copy_strided", copy.from, copy.extents, copy.from_strides, copy.itemsize);
  executor_.enqueue(stream, Task([inside = std::move(inside)] { backend::host_copy(inside); }));
  ++counts_.copies;
}

void ToySpace::fill_strided(const backend::StridedFill& fill, NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("fill_strided", stream);
  if (is_empty(fill.extents)) return;
  backend::StridedFill inside = fill;
  inside.to = kernel_operand("fill_strided", fill.to, fill.extents, fill.to_strides, fill.itemsize);
  std::vector<std::byte> pattern(fill.pattern, fill.pattern + fill.itemsize);
  executor_.enqueue(stream, Task([inside = std::move(inside), pattern = std::move(pattern)]() mutable {
                      inside.pattern = pattern.data();
                      backend::host_fill(inside);
                    }));
  ++counts_.fills;
}

void ToySpace::convert_strided(const backend::StridedConvert& convert, NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("convert_strided", stream);
  if (!backend::is_convertible(convert.to_dtype, convert.from_dtype)) {
    throw DTypeError("ferry: toy: no conversion from " + convert.from_dtype.name() + " to " + convert.to_dtype.name());
  }
  if (is_empty(convert.extents)) return;
  backend::StridedConvert inside = convert;
  inside.to = kernel_operand("convert_strided", convert.to, convert.extents, convert.to_strides,
                             static_cast<index_t>(convert.to_dtype.itemsize()));
  inside.from = kernel_operand("convert_strided", convert.from, convert.extents, convert.from_strides,
                               static_cast<index_t>(convert.from_dtype.itemsize()));
  executor_.enqueue(stream, Task([inside = std::move(inside)] { backend::host_convert(inside); }));
  ++counts_.conversions;
}

void ToySpace::run(Task task, NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("run", stream);
  if (!task) return;
  executor_.enqueue(stream, Task([this, task = std::move(task)]() mutable {
                      struct Opened {
                        ToyArena &a, &b;
                        Opened(ToyArena& x, ToyArena& y) : a(x), b(y) { a.open(), b.open(); }
                        ~Opened() { a.close(), b.close(); }
                      } const opened(device_memory_, mapped_memory_);
                      task();
                    }));
  ++counts_.kernels;
}

NativeStream ToySpace::create_stream(backend::StreamFlags flags) {
  const Lock lock(mutex_);
  return executor_.create_stream(flags.non_blocking);
}
void ToySpace::destroy_stream(NativeStream stream) noexcept {
  const Lock lock(mutex_);
  if (!executor_.destroy_stream(stream)) report_error("ferry: toy: destroy_stream was given no live stream");
}
void ToySpace::synchronize_stream(NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("synchronize_stream", stream);
  executor_.wait_for(executor_.last(stream));
}
bool ToySpace::is_stream_done(NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("is_stream_done", stream);
  return executor_.poll(executor_.last(stream));
}
void ToySpace::synchronize_device() {
  const Lock lock(mutex_);
  executor_.wait_for_all();
}

NativeEvent ToySpace::create_event(bool timing) {
  const Lock lock(mutex_);
  void* const handle = reinterpret_cast<void*>(last_event_ += 16);
  events_[handle].timing = timing;
  return handle;
}
void ToySpace::destroy_event(NativeEvent event) noexcept {
  const Lock lock(mutex_);
  if (events_.erase(event) == 0) report_error("ferry: toy: destroy_event was given no live event");
}
ToySpace::ToyEvent& ToySpace::find_event(const char* call, NativeEvent event) {
  const auto found = events_.find(event);
  if (found == events_.end()) invalid_handle(call, "the event was destroyed, or never was this device's");
  return found->second;
}
void ToySpace::record(NativeEvent event, NativeStream stream) {
  const Lock lock(mutex_);
  check_stream("record", stream);
  find_event("record", event).point = executor_.enqueue(stream, Task());
}
void ToySpace::wait(NativeStream stream, NativeEvent event) {
  const Lock lock(mutex_);
  check_stream("wait", stream);
  const Operation& point = find_event("wait", event).point;
  if (point != nullptr) executor_.enqueue(stream, Task(), point);
}
bool ToySpace::is_event_done(NativeEvent event) {
  const Lock lock(mutex_);
  return executor_.poll(find_event("is_event_done", event).point);
}
void ToySpace::synchronize_event(NativeEvent event) {
  const Lock lock(mutex_);
  executor_.wait_for(find_event("synchronize_event", event).point);
}
float ToySpace::elapsed_ms(NativeEvent start, NativeEvent stop) {
  const Lock lock(mutex_);
  const ToyEvent &a = find_event("elapsed_ms", start), &b = find_event("elapsed_ms", stop);
  if (!a.timing || !b.timing) invalid_handle("elapsed_ms", "an event was made without timing");
  if (a.point == nullptr || b.point == nullptr) invalid_handle("elapsed_ms", "an event was never recorded");
  if (!a.point->done || !b.point->done) fail("elapsed_ms", 600, "NotReady", "an event has not happened yet");
  return std::chrono::duration<float, std::milli>(b.point->finished - a.point->finished).count();
}

}  // namespace ferry::test
