// What a backend keeps of the addresses it gave out, so that every backend finds the same faults.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"

namespace ferry::inline v0::backend {

/// The live allocations and registrations, by exact byte range. Thread-safe.
class FERRY_EXPORT Ledger {
 public:
  /// `backend` is named in the texts of errors; `device` is its index among the backend's devices.
  Ledger(const char* backend, int device) noexcept : backend_(backend), device_(device) {}

  /// Reserves capacity. @throws OutOfMemory
  void reserve(std::size_t bytes, std::size_t capacity);
  void unreserve(std::size_t bytes) noexcept;
  std::size_t used() const noexcept;

  void add_allocation(void* address, std::size_t bytes, MemoryKind kind, MemoryFlags flags = {});
  /// Returns the flags that it was added with.
  /// @throws DeviceError unless exactly this allocation is live
  MemoryFlags remove_allocation(void* address, std::size_t bytes, MemoryKind kind);
  /// @throws DeviceError when any of these bytes is page-locked already
  void add_registration(void* address, std::size_t bytes);
  /// Returns its size.
  /// @throws DeviceError when no registration starts here
  std::size_t remove_registration(void* address);
  /// For memory that it has not heard of: pageable, no base, no device pointer.
  PointerInfo find(const void* address) const noexcept;

 private:
  struct Range {
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::pageable;
    MemoryFlags flags{};
  };
  using Ranges = std::map<std::byte*, Range>;
  static const Ranges::value_type* containing(const Ranges& ranges, const std::byte* address) noexcept;
  static bool meets_locked(const Ranges& ranges, std::byte* begin, const std::byte* end) noexcept;

  const char* backend_;
  int device_;
  mutable std::mutex mutex_;
  Ranges allocations_, registrations_;
  std::size_t used_ = 0;
};

}  // namespace ferry::inline v0::backend
