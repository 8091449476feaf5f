// One GPU as a MemorySpace: what CUDA and HIP share.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "backends/gpu/page_locks.hpp"
#include "context.hpp"
#include "ferry/backend/ledger.hpp"
#include "ferry/backend/memory_space.hpp"
#include "vendor.hpp"

namespace ferry::inline v0::backend::gpu {

/// Nothing of the device is touched before the first call that needs it, so that naming a device costs no context.
class GpuSpace final : public MemorySpace {
 public:
  explicit GpuSpace(int device);
  ~GpuSpace() override;

  std::string_view backend_name() const noexcept override { return gpu::backend_name; }
  int index() const noexcept override { return device_; }
  Capabilities capabilities() const noexcept override;
  MemoryInfo memory_info() const override;
  std::string description() const override;

  void* allocate(MemoryKind kind, std::size_t bytes, MemoryFlags flags, NativeStream stream) override;
  void deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream stream) override;
  void trim() override;

  void register_host(void* address, std::size_t bytes, MemoryFlags flags) override;
  void unregister_host(void* address) override;
  PointerInfo query(const void* address) const noexcept override;

  void copy(void* to, const void* from, std::size_t bytes, NativeStream stream) override;
  void copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                    std::size_t rows, NativeStream stream) override;
  void copy_peer(void* to, MemorySpace& source, const void* from, std::size_t bytes, NativeStream stream) override;
  void prefetch(void* address, std::size_t bytes, bool to_device, NativeStream stream) override;
  void copy_strided(const StridedCopy& copy, NativeStream stream) override;
  void fill_strided(const StridedFill& fill, NativeStream stream) override;
  void convert_strided(const StridedConvert& convert, NativeStream stream) override;
  void run(Task task, NativeStream stream) override;

  NativeStream create_stream(StreamFlags flags) override;
  void destroy_stream(NativeStream stream) noexcept override;
  void synchronize_stream(NativeStream stream) override;
  bool is_stream_done(NativeStream stream) override;
  bool is_capturing(NativeStream stream) override;
  void synchronize_device() override;

  NativeEvent create_event(bool timing) override;
  void destroy_event(NativeEvent event) noexcept override;
  void record(NativeEvent event, NativeStream stream) override;
  void wait(NativeStream stream, NativeEvent event) override;
  bool is_event_done(NativeEvent event) override;
  void synchronize_event(NativeEvent event) override;
  float elapsed_ms(NativeEvent start, NativeEvent stop) override;

  bool is_lost() const noexcept override;
  int make_current() override { return context_.enter(); }
  void restore_current(int former) noexcept override { context_.leave(former); }

 private:
  using Status = FERRY_GPU(Error_t);
  using StreamHandle = FERRY_GPU(Stream_t);

  /// Makes the device current for one call. @throws DeviceError at once when the device is lost
  class Entry;
  /// For ways out: whether there is no device any more to give things back to. Asks the driver.
  bool is_gone() const noexcept;
  /// @throws DeviceError unless the call succeeded, and clears the vendor's record of it
  void check(const char* call, Status status, const char* advice = "") const;
  [[noreturn]] void fail(const char* call, Status status, const char* advice = "") const;
  /// Clears the vendor's record of a call's own failure, and of no other.
  static void forget(Status status) noexcept;

  FERRY_GPU(MemPool_t) pool();
  /// Sets flags.direct for device memory that is not the pool's.
  void* allocate_kind(MemoryKind kind, std::size_t bytes, MemoryFlags& flags, StreamHandle stream);
  void free_kind(MemoryKind kind, void* address, std::size_t bytes, MemoryFlags flags, StreamHandle stream);

  /// Whether all of a range is page-locked or device memory, so that the driver copies it while the host goes on.
  bool is_locked(const void* address, std::size_t bytes) const;
  bool is_device_memory(const void* address) const noexcept;
  /// Pageable sides must be free when a copy returns.
  void settle(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes, StreamHandle stream);

  int device_;
  bool pooled_ = false, reads_pageable_memory_ = false;
  int multiprocessors_ = 1;
  std::size_t max_pitch_ = 0, total_bytes_ = 0;
  mutable DeviceContext context_;
  mutable std::atomic<int> lost_{0};  // the status after which the device answers nothing else
  std::once_flag pool_once_;
  FERRY_GPU(MemPool_t) pool_ = nullptr;
  Ledger ledger_;
  PageLocks page_locks_;
};

}  // namespace ferry::inline v0::backend::gpu
