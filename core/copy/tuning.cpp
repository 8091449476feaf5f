#include "core/copy/tuning.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "ferry/error.hpp"

namespace ferry::inline v0::copying {

namespace {
Tuning read() {
  Tuning tuning;
  const struct {
    std::string_view name;
    index_t& value;
  } known[] = {{"chunk", tuning.chunk},       {"slots", tuning.slots},     {"piece", tuning.piece},
               {"pipeline", tuning.pipeline}, {"threads", tuning.threads}, {"reorder", tuning.reorder},
               {"stage", tuning.stage},       {"up", tuning.up},           {"down", tuning.down},
               {"device", tuning.device},     {"memory", tuning.memory},   {"elements", tuning.elements}};
  const char* const text = std::getenv("FERRY_COPY_TUNING");
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t equals = std::min(item.find('='), item.size());
    bool found = false;
    for (const auto& entry : known) {
      if (entry.name != item.substr(0, equals) || equals == item.size()) continue;
      entry.value = std::max<index_t>(1, std::atoll(item.data() + equals + 1));
      found = true;
    }
    if (!found) {
      report_error(("ferry: FERRY_COPY_TUNING: '" + std::string(item) + "' names no size; it is left out").c_str());
    }
  }
  return tuning;
}
}  // namespace

const Tuning& tuning() {
  static const Tuning& values = *new Tuning(read());
  return values;
}

}  // namespace ferry::inline v0::copying
