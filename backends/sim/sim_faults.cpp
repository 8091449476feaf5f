#include "backends/sim/sim_faults.hpp"

#include <charconv>
#include <string>

#include "ferry/error.hpp"

namespace ferry::inline v0::backend::sim {

namespace {
[[noreturn]] void throw_malformed(std::string_view text) {
  throw Error("ferry: FERRY_SIM_FAULTS is '" + std::string(text) +
              "'; write a list such as allocation=3,copy=1,lost=20: which of them fails, counted from 1");
}
}  // namespace

Faults Faults::parse(std::string_view text) {
  Faults faults;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(item.size() < rest.size() ? item.size() + 1 : item.size());
    const std::string_view name = item.substr(0, item.find('='));
    std::size_t* const which = name == "allocation" ? &faults.allocation
                               : name == "copy"     ? &faults.copy
                               : name == "lost"     ? &faults.lost
                                                    : nullptr;
    if (which == nullptr || name.size() == item.size()) throw_malformed(text);
    const char *const first = item.data() + name.size() + 1, *const last = item.data() + item.size();
    const auto [end, error] = std::from_chars(first, last, *which);
    if (error != std::errc() || end != last || *which == 0) throw_malformed(text);
  }
  return faults;
}

}  // namespace ferry::inline v0::backend::sim
