// The host as a device: plain CPU memory, everything done when the call returns.
#pragma once

#include <cstddef>

#include "backends/host/host_handles.hpp"
#include "ferry/backend/ledger.hpp"
#include "ferry/backend/memory_space.hpp"

namespace ferry::inline v0::backend {

/// All kinds of memory are host memory, so the kinds differ only in what query() says of them. FERRY_HOST_MEMORY
/// (bytes, or with a suffix K, M, G) limits what may be allocated; without it the machine's memory does.
class HostSpace final : public MemorySpace {
 public:
  HostSpace();
  ~HostSpace() override;

  std::string_view backend_name() const noexcept override { return "host"; }
  int index() const noexcept override { return 0; }
  Capabilities capabilities() const noexcept override {
    return {.asynchronous = false, .device_is_host = true, .runs_tasks = true};
  }
  MemoryInfo memory_info() const override;

  void* allocate(MemoryKind kind, std::size_t bytes, MemoryFlags flags, NativeStream stream) override;
  void deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream stream) override;
  void register_host(void* address, std::size_t bytes, MemoryFlags flags) override;
  void unregister_host(void* address) override;
  PointerInfo query(const void* address) const noexcept override;

  void copy(void* to, const void* from, std::size_t bytes, NativeStream stream) override;
  void copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                    std::size_t rows, NativeStream stream) override;
  void copy_strided(const StridedCopy& copy, NativeStream stream) override;
  void fill_strided(const StridedFill& fill, NativeStream stream) override;
  void convert_strided(const StridedConvert& convert, NativeStream stream) override;
  void run(Task task, NativeStream stream) override;

  NativeStream create_stream(StreamFlags flags) override;
  void destroy_stream(NativeStream stream) noexcept override;
  void synchronize_stream(NativeStream stream) override;
  bool is_stream_done(NativeStream stream) override;
  void synchronize_device() override;

  NativeEvent create_event(bool timing) override;
  void destroy_event(NativeEvent event) noexcept override;
  void record(NativeEvent event, NativeStream stream) override;
  void wait(NativeStream stream, NativeEvent event) override;
  bool is_event_done(NativeEvent event) override;
  void synchronize_event(NativeEvent event) override;
  float elapsed_ms(NativeEvent start, NativeEvent stop) override;

 private:
  std::size_t capacity_;
  Ledger ledger_{"host", 0};
  HostHandles handles_;
};

}  // namespace ferry::inline v0::backend
