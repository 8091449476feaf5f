// The observer of the process, for those that have something to tell it.
#pragma once

#include "ferry/detail/array_handle.hpp"
#include "ferry/memory_observer.hpp"

namespace ferry::inline v0::detail {

/// Null when there is none; costs one load.
MemoryObserver* observer() noexcept;

/// Tells the observer of one copy, from construction to destruction.
class ObservedCopy {
 public:
  ObservedCopy(const ArrayHandle& to, const ArrayHandle& from) noexcept;
  ObservedCopy(const ObservedCopy&) = delete;
  ObservedCopy& operator=(const ObservedCopy&) = delete;
  ~ObservedCopy();

 private:
  MemoryObserver* const observer_;
};

}  // namespace ferry::inline v0::detail
