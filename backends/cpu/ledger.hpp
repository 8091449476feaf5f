// What a backend running on the CPU knows of addresses, kept so that it finds the faults that a GPU driver finds.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "backends/cpu/faults.hpp"
#include "ferry/backend/memory_space.hpp"

namespace ferry::inline v0::backend::cpu {

/// The live allocations and registrations, by exact byte range. Thread-safe.
class Ledger {
 public:
  /// `backend` is named in errors.
  explicit Ledger(const char* backend) noexcept : backend_(backend) {}
  /// Reserves capacity. @throws OutOfMemory
  void reserve(std::size_t bytes, std::size_t capacity);
  void unreserve(std::size_t bytes) noexcept;
  std::size_t used() const noexcept;

  void add_allocation(void* address, std::size_t bytes, MemoryKind kind);
  /// @throws DeviceError unless exactly this allocation is live
  void remove_allocation(void* address, std::size_t bytes, MemoryKind kind);
  /// @throws DeviceError when any of these bytes is page-locked already
  void add_registration(void* address, std::size_t bytes);
  /// @throws DeviceError when no registration starts here
  void remove_registration(void* address);
  PointerInfo find(const void* address) const noexcept;

 private:
  [[noreturn]] void fail(const char* call, const Fault& fault, const char* why) const {
    raise(backend_, call, fault, why);
  }
  struct Range {
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::pageable;
  };
  using Ranges = std::map<std::byte*, Range>;
  static const Ranges::value_type* containing(const Ranges& ranges, const std::byte* address) noexcept;
  static bool meets_locked(const Ranges& ranges, std::byte* begin, const std::byte* end) noexcept;

  const char* backend_;
  mutable std::mutex mutex_;
  Ranges allocations_, registrations_;
  std::size_t used_ = 0;
};

}  // namespace ferry::inline v0::backend::cpu
