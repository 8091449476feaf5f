// Failures that are made to happen, so that a program's handling of them can be tested.
#pragma once

#include <cstddef>
#include <string_view>

namespace ferry::inline v0::backend::sim {

/// Counts down to failures of one device; 0 means none is to come. Each happens once.
struct Faults {
  std::size_t allocation = 0;  ///< this allocation from now fails for want of memory
  std::size_t copy = 0;        ///< this copy from now fails
  std::size_t lost = 0;        ///< with this call that queues work, the device is lost

  /// "allocation=3,copy=1,lost=20".
  /// @throws Error saying what may be written
  static Faults parse(std::string_view text);
  /// Counts an event; true when it is the one that fails.
  static bool is_due(std::size_t& countdown) noexcept { return countdown > 0 && --countdown == 0; }
};

}  // namespace ferry::inline v0::backend::sim
