// Vector clocks: what has happened before what, whatever order the scheduler chose.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ferry::inline v0::backend::sim {

/// For each stream (a slot), how many of its operations lie before a point. Slots that were never set are 0.
class Clock {
 public:
  std::uint64_t operator[](std::size_t slot) const noexcept { return slot < at_.size() ? at_[slot] : 0; }
  void raise(std::size_t slot, std::uint64_t epoch) {
    if (slot >= at_.size()) at_.resize(slot + 1, 0);
    at_[slot] = std::max(at_[slot], epoch);
  }
  void join(const Clock& other) {
    if (other.at_.size() > at_.size()) at_.resize(other.at_.size(), 0);
    for (std::size_t slot = 0; slot < other.at_.size(); ++slot) at_[slot] = std::max(at_[slot], other.at_[slot]);
  }

 private:
  std::vector<std::uint64_t> at_;
};

}  // namespace ferry::inline v0::backend::sim
