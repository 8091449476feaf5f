// A device on the host's memory whose kernels see mapped memory 2^40 bytes further on, as some GPUs do. It counts
// registrations, can be told to refuse one, and sees whether memory is unregistered while transfers are under way.
#pragma once

#include <ferry/backend/memory_space.hpp>
#include <ferry/device.hpp>
#include <ferry/error.hpp>
#include <set>

namespace ferry::test {

class ShiftedSpace final : public backend::MemorySpace {
 public:
  static constexpr std::ptrdiff_t shift = std::ptrdiff_t{1} << 40;

  /// One that lives until the process ends, as devices do.
  static ShiftedSpace& make() { return *new ShiftedSpace; }

  int registered = 0, unregistered = 0;  ///< calls, ever
  int refuse_at = 0;                     ///< the registration, counted from 1, that fails
  bool was_busy = false;                 ///< something was unregistered before all streams were waited for

  std::string_view backend_name() const noexcept override { return "shifted"; }
  int index() const noexcept override { return 0; }
  backend::Capabilities capabilities() const noexcept override {
    return {.asynchronous = false, .device_is_host = false, .runs_tasks = true};
  }
  MemoryInfo memory_info() const override { return host_.memory_info(); }

  void* allocate(MemoryKind kind, std::size_t bytes, backend::MemoryFlags flags,
                 backend::NativeStream stream) override {
    return host_.allocate(kind, bytes, flags, stream);
  }
  void deallocate(MemoryKind kind, void* address, std::size_t bytes, backend::NativeStream stream) override {
    host_.deallocate(kind, address, bytes, stream);
  }
  void register_host(void* address, std::size_t bytes, backend::MemoryFlags flags) override {
    if (++registered == refuse_at) throw DeviceError("shifted: register_host", 2, "MemoryAllocation");
    host_.register_host(address, bytes, flags);
  }
  void unregister_host(void* address) override {
    was_busy = was_busy || !busy_.empty();
    host_.unregister_host(address);
    ++unregistered;
  }
  backend::PointerInfo query(const void* address) const noexcept override {
    backend::PointerInfo info = host_.query(back(address));
    if (info.kind == MemoryKind::mapped) {
      info.device_pointer = static_cast<std::byte*>(const_cast<void*>(back(address))) + shift;
    } else if (info.kind == MemoryKind::pageable) {
      info.device_pointer = nullptr;
    }
    return info;
  }

  void copy(void* to, const void* from, std::size_t bytes, backend::NativeStream stream) override {
    busy_.insert(stream);
    host_.copy(back(to), back(from), bytes, stream);
  }
  void copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                    std::size_t rows, backend::NativeStream stream) override {
    host_.copy_pitched(back(to), to_pitch, back(from), from_pitch, width, rows, stream);
  }
  void copy_strided(const backend::StridedCopy& copy, backend::NativeStream stream) override {
    backend::StridedCopy moved = copy;
    moved.to = for_kernels(copy.to);
    moved.from = for_kernels(copy.from);
    host_.copy_strided(moved, stream);
  }
  void fill_strided(const backend::StridedFill& fill, backend::NativeStream stream) override {
    backend::StridedFill moved = fill;
    moved.to = for_kernels(fill.to);
    host_.fill_strided(moved, stream);
  }
  void convert_strided(const backend::StridedConvert& convert, backend::NativeStream stream) override {
    backend::StridedConvert moved = convert;
    moved.to = for_kernels(convert.to);
    moved.from = for_kernels(convert.from);
    host_.convert_strided(moved, stream);
  }
  void run(Task task, backend::NativeStream stream) override { host_.run(std::move(task), stream); }

  backend::NativeStream create_stream(backend::StreamFlags flags) override { return host_.create_stream(flags); }
  void destroy_stream(backend::NativeStream stream) noexcept override { host_.destroy_stream(stream); }
  void synchronize_stream(backend::NativeStream stream) override {
    host_.synchronize_stream(stream);
    busy_.erase(stream);
  }
  bool is_stream_done(backend::NativeStream stream) override { return host_.is_stream_done(stream); }
  void synchronize_device() override { host_.synchronize_device(); }
  backend::NativeEvent create_event(bool timing) override { return host_.create_event(timing); }
  void destroy_event(backend::NativeEvent event) noexcept override { host_.destroy_event(event); }
  void record(backend::NativeEvent event, backend::NativeStream stream) override { host_.record(event, stream); }
  void wait(backend::NativeStream stream, backend::NativeEvent event) override { host_.wait(stream, event); }
  bool is_event_done(backend::NativeEvent event) override { return host_.is_event_done(event); }
  void synchronize_event(backend::NativeEvent event) override { host_.synchronize_event(event); }
  float elapsed_ms(backend::NativeEvent start, backend::NativeEvent stop) override {
    return host_.elapsed_ms(start, stop);
  }

 private:
  ShiftedSpace() = default;

  bool is_shifted(const void* address) const noexcept {
    return host_.query(static_cast<const std::byte*>(address) - shift).kind == MemoryKind::mapped;
  }
  // The host's address.
  const void* back(const void* address) const noexcept {
    return is_shifted(address) ? static_cast<const std::byte*>(address) - shift : address;
  }
  void* back(void* address) const noexcept { return const_cast<void*>(back(static_cast<const void*>(address))); }
  // The same, for an address that a kernel was given: of mapped memory it must be the device's.
  template <class Byte>
  Byte* for_kernels(Byte* address) const {
    if (is_shifted(address)) return address - shift;
    if (host_.query(address).kind != MemoryKind::device) {
      throw DeviceError("shifted: a kernel was given the host's address", 700, "IllegalAddress");
    }
    return address;
  }

  std::set<backend::NativeStream> busy_;
  backend::MemorySpace& host_ = Device("host").space();
};

}  // namespace ferry::test
