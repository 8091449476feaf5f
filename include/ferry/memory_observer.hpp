// Told of allocations and copies as they happen: the seam at which profilers are connected.
#pragma once

#include <cstddef>
#include <string_view>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"
#include "ferry/device.hpp"

namespace ferry::inline v0 {

/// A piece of memory, as an observer is told of it.
struct ObservedMemory {
  Device device;
  MemoryKind kind = MemoryKind::pageable;
  std::string_view label;         ///< empty when the array has none; valid during the call
  const void* address = nullptr;  ///< of an allocation its start, of a copy's side element (0, …, 0)
};

/// Derive to be told of what Ferry allocates, frees and copies in this process. Called on the thread that does it, from
/// any thread; must not throw, nor call Ferry's arrays.
class FERRY_EXPORT MemoryObserver {
 public:
  MemoryObserver() = default;
  MemoryObserver(const MemoryObserver&) = delete;
  MemoryObserver& operator=(const MemoryObserver&) = delete;
  virtual ~MemoryObserver();

  /// `bytes` as asked for. Empty arrays have no memory, and foreign memory was not allocated here.
  virtual void allocated(const ObservedMemory& memory, std::size_t bytes) noexcept = 0;
  /// The array is gone; its memory follows in stream order. Only for allocations that this observer was told of.
  virtual void freed(const ObservedMemory& memory, std::size_t bytes) noexcept = 0;
  /// Around the call that makes a copy of `bytes`; on a stream, the copy may still be under way when it ends.
  virtual void copy_begins(const ObservedMemory& to, const ObservedMemory& from, std::size_t bytes) noexcept = 0;
  virtual void copy_ends() noexcept = 0;
};

/// Sets the one observer of the process, and returns the former one; null for none. It must outlive its being set, and
/// every call that was under way then.
FERRY_EXPORT MemoryObserver* set_memory_observer(MemoryObserver* observer) noexcept;

}  // namespace ferry::inline v0
