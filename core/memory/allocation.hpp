// The control block that all views of one allocation share.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/device_state.hpp"
#include "core/memory/live_labels.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/memory_observer.hpp"

namespace ferry::inline v0::detail {

/// Owns memory, or keeps a foreign owner alive. Its end is stream-ordered: the memory is given back, or the owner let
/// go, after the work on every stream that the allocation is known to be used on. Thread-safe.
class Allocation {
 public:
  /// Takes `bytes` (may be 0: no memory then) from a resource, once more after giving back what is cached.
  Allocation(DeviceState& device, MemoryKind kind, std::size_t bytes, std::shared_ptr<StreamState> stream,
             MemoryResource* resource, std::string_view label);
  /// Foreign memory, whose extent relative to its data pointer is `range`.
  Allocation(DeviceState& device, MemoryKind kind, ByteRange range, std::shared_ptr<void> owner,
             std::string_view label = {})
      : device_(device), kind_(kind), range_(range), owner_(std::move(owner)), label_(label) {}
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  ~Allocation();

  DeviceState& device() const noexcept { return device_; }
  MemoryKind kind() const noexcept { return kind_; }
  std::byte* base() const noexcept { return base_; }
  /// The bytes that belong to the allocation, relative to an array's base.
  ByteRange range() const noexcept { return range_; }
  std::string_view label() const noexcept { return label_; }

  /// For reports of live memory; one with a label is listed by it anyhow.
  void count_if_unlabelled() noexcept {
    if (base_ != nullptr && label_.empty()) count_.begin(kind_, static_cast<std::size_t>(range_.size()));
  }

  void used_on(const std::shared_ptr<StreamState>& stream);
  /// Waits for the work on all streams that it is known to be used on.
  /// @throws AccessError when one of them is being captured
  void wait();

  /// Asks the device under which address kernels reach mapped or managed memory.
  /// @throws AccessError when they do not
  void find_device_address();
  /// What is added to the host's address to have the kernels'.
  std::ptrdiff_t device_shift() const noexcept { return device_shift_; }
  void set_device_shift(std::ptrdiff_t shift) noexcept { device_shift_ = shift; }

  /// Memory of a scope: after close(), arrays that are left of it may not be used.
  bool is_open() const noexcept { return open_.load(std::memory_order_relaxed); }
  void close() noexcept { open_.store(false, std::memory_order_relaxed); }

 private:
  void give_back();

  DeviceState& device_;
  MemoryKind kind_;
  ByteRange range_;
  std::byte* base_ = nullptr;
  std::ptrdiff_t device_shift_ = 0;
  std::atomic<bool> open_{true};
  MemoryResource* resource_ = nullptr;
  std::shared_ptr<void> owner_;
  std::string label_;
  MemoryObserver* told_ = nullptr;  // who is to hear of its end
  UnlabelledCount count_;
  std::mutex mutex_;
  std::shared_ptr<StreamState> first_;  // where it is freed
  std::vector<std::shared_ptr<StreamState>> others_;
};

}  // namespace ferry::inline v0::detail
