// The allocations that are alive: by label where they have one, else just their number.
#pragma once

#include <string>

#include "ferry/backend/memory_space.hpp"

namespace ferry::inline v0::detail {

class Allocation;

void add_label(const Allocation& allocation);
void remove_label(const Allocation& allocation) noexcept;
/// "velocity 1024 bytes, pressure 512 bytes": the sums of the largest live labels, largest first; empty without any.
std::string largest_labels();

/// Counts one allocation without a label for as long as it lives; a few atomic additions, no list.
class UnlabelledCount {
 public:
  UnlabelledCount() = default;
  UnlabelledCount(const UnlabelledCount&) = delete;
  UnlabelledCount& operator=(const UnlabelledCount&) = delete;
  ~UnlabelledCount();
  void begin(MemoryKind kind, std::size_t bytes) noexcept;

 private:
  MemoryKind kind_ = MemoryKind::device;
  std::size_t bytes_ = 0;  // 0: not counted
};

}  // namespace ferry::inline v0::detail
