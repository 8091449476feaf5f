#include "backends/sim/sim_schedule.hpp"

#include <charconv>

#include "ferry/error.hpp"

namespace ferry::inline v0::backend::sim {

Schedule Schedule::parse(std::string_view text) {
  if (text == "eager") return {SchedulerKind::eager, 0};
  if (text == "lazy") return {SchedulerKind::lazy, 0};
  if (text == "random") return {SchedulerKind::random, 0};
  if (constexpr std::string_view prefix = "random:"; text.starts_with(prefix)) {
    const char *const first = text.data() + prefix.size(), *const last = text.data() + text.size();
    Schedule schedule{SchedulerKind::random, 0};
    const auto [end, error] = std::from_chars(first, last, schedule.seed);
    if (error == std::errc() && end == last) return schedule;
  }
  throw Error("ferry: '" + std::string(text) +
              "' is no schedule of the simulated device; FERRY_SIM and "
              "sim::set_schedule take eager, lazy, or random:SEED with a number");
}

std::string Schedule::to_string() const {
  if (kind == SchedulerKind::eager) return "eager";
  if (kind == SchedulerKind::lazy) return "lazy";
  return "random:" + std::to_string(seed);
}

}  // namespace ferry::inline v0::backend::sim
