#include "support/toy_space.hpp"

#include "support/toy_backend.hpp"

#include <ferry/error.hpp>

#include <chrono>
#include <cstring>
#include <new>
#include <vector>

namespace ferry::test {

using backend::NativeEvent;
using backend::NativeStream;

namespace {

constexpr std::size_t capacity = std::size_t{64} << 20;
constexpr std::align_val_t alignment{256};
constexpr int invalid_value = 1, invalid_handle = 400;
constexpr int poison = 0xDD;
constexpr int polls_in_vain = 3;

struct ToyEvent {
  bool timing = false;
  Operation point;
  std::shared_ptr<std::chrono::steady_clock::time_point> time;
  int polls = 0;
};

void copy_rows(std::byte* to, std::size_t to_pitch, const std::byte* from, std::size_t from_pitch, std::size_t width,
               std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) std::memcpy(to + row * to_pitch, from + row * from_pitch, width);
}

}  // namespace

ToySpace::ToySpace(int index) : index_(index), device_memory_(capacity), mapped_memory_(capacity) {}
ToySpace::~ToySpace() = default;

ToyStream* ToySpace::live(const char* call, NativeStream stream) const {
  auto* toy = static_cast<ToyStream*>(stream);
  if (!executor_.is_live(toy)) throw DeviceError(call, invalid_handle, "the stream was destroyed or is another device's");
  return toy;
}

MemoryInfo ToySpace::memory_info() const {
  const Lock lock(mutex_);
  return {device_memory_.size() - device_memory_.used(), device_memory_.size()};
}

void* ToySpace::allocate(MemoryKind kind, std::size_t bytes, backend::HostFlags, NativeStream stream) {
  const Lock lock(mutex_);
  live("allocate", stream);
  void* address = nullptr;
  if (kind == MemoryKind::device) {
    address = device_memory_.allocate(bytes);
  } else if (kind == MemoryKind::mapped) {
    if (void* outer = mapped_memory_.allocate(bytes)) address = mapped_memory_.inner(outer);
  } else {
    address = ::operator new(bytes, alignment, std::nothrow);
  }
  if (address == nullptr) {
    throw OutOfMemory("toy:" + std::to_string(index_), bytes, memory_info().free, memory_info().total);
  }
  ledger_.add_allocation(address, bytes, kind);
  return address;
}

void ToySpace::deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream stream) {
  const Lock lock(mutex_);
  ToyStream* const toy = live("deallocate", stream);
  ledger_.remove_allocation(address, bytes, kind);
  executor_.enqueue(toy, Task([this, kind, address, bytes] {
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

void ToySpace::register_host(void* address, std::size_t bytes, backend::HostFlags) {
  if (bytes > 0) ledger_.add_registration(address, bytes);
}
void ToySpace::unregister_host(void* address) {
  const Lock lock(mutex_);
  executor_.run_all();  // as a driver does: the memory may still be in use
  ledger_.remove_registration(address);
}

backend::PointerInfo ToySpace::query(const void* address) const noexcept {
  const bool outer_mapped = mapped_memory_.has_outer(address);
  backend::PointerInfo info = ledger_.find(outer_mapped ? mapped_memory_.inner(address) : address);
  if (info.base == nullptr) return {};
  info.device = index_;
  if (mapped_memory_.has_inner(info.base)) {
    info.device_pointer = outer_mapped ? const_cast<void*>(address) : mapped_memory_.outer(address);
  } else if (info.kind == MemoryKind::pageable) {
    info = {};
  }
  return info;
}

std::byte* ToySpace::engine_address(const void* address) const noexcept {
  if (device_memory_.has_outer(address)) return device_memory_.inner(address);
  if (mapped_memory_.has_outer(address)) return mapped_memory_.inner(address);
  return static_cast<std::byte*>(const_cast<void*>(address));
}

bool ToySpace::is_pageable(const void* address) const noexcept { return query(address).kind == MemoryKind::pageable; }

void ToySpace::queue(NativeStream stream, Task work, bool complete) {
  const Operation operation = executor_.enqueue(live("queue", stream), std::move(work));
  if (complete) executor_.run(operation);
}

void ToySpace::copy(void* to, const void* from, std::size_t bytes, NativeStream stream) {
  copy_pitched(to, bytes, from, bytes, bytes, 1, stream);
}

void ToySpace::copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                            std::size_t width, std::size_t rows, NativeStream stream) {
  if (width == 0 || rows == 0) return;
  const Lock lock(mutex_);
  std::byte* const target = engine_address(to);
  const std::byte* const source = engine_address(from);
  if (is_pageable(from)) {
    // The source is free again when the call returns, so what it holds now is what travels.
    std::vector<std::byte> snapshot(width * rows);
    copy_rows(snapshot.data(), width, source, from_pitch, width, rows);
    queue(stream, Task([=, snapshot = std::move(snapshot)] {
            copy_rows(target, to_pitch, snapshot.data(), width, width, rows);
          }),
          is_pageable(to));
  } else {
    queue(stream, Task([=] { copy_rows(target, to_pitch, source, from_pitch, width, rows); }), is_pageable(to));
  }
}

void ToySpace::copy_strided(const backend::StridedCopy& copy, NativeStream stream) {
  const Lock lock(mutex_);
  backend::StridedCopy inside = copy;
  inside.to = engine_address(copy.to);
  inside.from = engine_address(copy.from);
  queue(stream, Task([inside = std::move(inside)] { backend::host_copy(inside); }), false);
}

void ToySpace::fill_strided(const backend::StridedFill& fill, NativeStream stream) {
  const Lock lock(mutex_);
  backend::StridedFill inside = fill;
  inside.to = engine_address(fill.to);
  std::vector<std::byte> pattern(fill.pattern, fill.pattern + fill.itemsize);
  queue(stream, Task([inside = std::move(inside), pattern = std::move(pattern)]() mutable {
          inside.pattern = pattern.data();
          backend::host_fill(inside);
        }),
        false);
}

void ToySpace::convert_strided(const backend::StridedConvert& convert, NativeStream stream) {
  const Lock lock(mutex_);
  backend::StridedConvert inside = convert;
  inside.to = engine_address(convert.to);
  inside.from = engine_address(convert.from);
  queue(stream, Task([inside = std::move(inside)] { backend::host_convert(inside); }), false);
}

void ToySpace::run(Task task, NativeStream stream) {
  const Lock lock(mutex_);
  queue(stream, Task([this, task = std::move(task)]() mutable {
          struct Opened {
            ToyArena &a, &b;
            Opened(ToyArena& x, ToyArena& y) : a(x), b(y) { a.open(), b.open(); }
            ~Opened() { a.close(), b.close(); }
          } const opened(device_memory_, mapped_memory_);
          task();
        }),
        false);
}

NativeStream ToySpace::create_stream(backend::StreamFlags flags) {
  const Lock lock(mutex_);
  return executor_.create(flags.non_blocking);
}
void ToySpace::destroy_stream(NativeStream stream) noexcept {
  const Lock lock(mutex_);
  executor_.destroy(static_cast<ToyStream*>(stream));
}
void ToySpace::synchronize_stream(NativeStream stream) {
  const Lock lock(mutex_);
  executor_.run(executor_.resolve(live("synchronize_stream", stream)).last);
}

// Asking is no waiting; but somebody who asks again and again must get an answer in the end.
bool ToySpace::poll(const Operation& operation, int& polls) {
  if (operation == nullptr || operation->done) return true;
  if (++polls <= polls_in_vain) return false;
  polls = 0;
  executor_.run(operation);
  return true;
}
bool ToySpace::is_stream_done(NativeStream stream) {
  const Lock lock(mutex_);
  ToyStream& toy = executor_.resolve(live("is_stream_done", stream));
  const Operation last = toy.last;
  return poll(last, toy.polls);
}
void ToySpace::synchronize_device() {
  const Lock lock(mutex_);
  executor_.run_all();
}

NativeEvent ToySpace::create_event(bool timing) { return new ToyEvent{timing, {}, {}, 0}; }
void ToySpace::destroy_event(NativeEvent event) noexcept { delete static_cast<ToyEvent*>(event); }
void ToySpace::record(NativeEvent event, NativeStream stream) {
  const Lock lock(mutex_);
  auto& toy = *static_cast<ToyEvent*>(event);
  toy.time = std::make_shared<std::chrono::steady_clock::time_point>();
  toy.polls = 0;
  toy.point = executor_.enqueue(live("record", stream),
                                Task([time = toy.time] { *time = std::chrono::steady_clock::now(); }));
}
void ToySpace::wait(NativeStream stream, NativeEvent event) {
  const Lock lock(mutex_);
  executor_.enqueue(live("wait", stream), Task(), static_cast<ToyEvent*>(event)->point);
}
bool ToySpace::is_event_done(NativeEvent event) {
  const Lock lock(mutex_);
  auto& toy = *static_cast<ToyEvent*>(event);
  const Operation point = toy.point;
  return poll(point, toy.polls);
}
void ToySpace::synchronize_event(NativeEvent event) {
  const Lock lock(mutex_);
  executor_.run(Operation(static_cast<ToyEvent*>(event)->point));
}
float ToySpace::elapsed_ms(NativeEvent start, NativeEvent stop) {
  const Lock lock(mutex_);
  const auto &a = *static_cast<ToyEvent*>(start), &b = *static_cast<ToyEvent*>(stop);
  if (!a.timing || !b.timing || a.point == nullptr || b.point == nullptr || !a.point->done || !b.point->done) {
    throw DeviceError("elapsed_ms", invalid_value, "an event has no timing, or is not done");
  }
  return std::chrono::duration<float, std::milli>(*b.time - *a.time).count();
}

namespace {
class ToyBackend final : public backend::Backend {
 public:
  std::string_view name() const noexcept override { return "toy"; }
  int device_count() const noexcept override { return 2; }
  std::string unavailable_reason() const override { return {}; }
  bool is_accelerator() const noexcept override { return false; }
  backend::MemorySpace& space(int index) override { return index == 0 ? first_ : second_; }

 private:
  ToySpace first_{0}, second_{1};
};
}  // namespace

std::unique_ptr<backend::Backend> make_toy_backend() { return std::make_unique<ToyBackend>(); }

}  // namespace ferry::test
