// What memory the program holds through Ferry, by label.
#pragma once

#include <string>
#include <vector>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"

namespace ferry::inline v0 {

/// Allocations of one label and kind that some array still refers to.
struct LiveMemory {
  std::string label;  ///< empty: those without one
  MemoryKind kind = MemoryKind::device;
  std::size_t blocks = 0;
  std::size_t bytes = 0;  ///< as asked for
  friend bool operator==(const LiveMemory&, const LiveMemory&) = default;
};

/// All memory that arrays of this process hold now, on all devices; memory that they only wrap, or that pools keep
/// unused, is not counted. The most bytes first.
FERRY_EXPORT std::vector<LiveMemory> live_memory();

/// The same as text, one label a line; empty when there is none. With the environment variable FERRY_LEAK_REPORT set
/// (and not 0), it is written to stderr when the process ends, after arrays of static lifetime have gone.
FERRY_EXPORT std::string live_memory_report();

}  // namespace ferry::inline v0
