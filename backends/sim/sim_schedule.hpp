// In which of the legal orders the simulated devices run their work.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::inline v0::backend::sim {

enum class SchedulerKind : unsigned char {
  eager,  ///< everything runs before its call returns
  lazy,   ///< nothing runs before somebody waits for it, and then only what that wait depends on
  random  ///< streams interleave as a seeded generator says
};

struct Schedule {
  SchedulerKind kind = SchedulerKind::lazy;
  std::uint64_t seed = 0;

  /// "eager", "lazy", "random" (seed 0) or "random:SEED".
  /// @throws Error saying what may be written
  static Schedule parse(std::string_view text);
  std::string to_string() const;
};

}  // namespace ferry::inline v0::backend::sim
