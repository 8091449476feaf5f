#include "core/memory/live_labels.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/memory/allocation.hpp"

namespace ferry::inline v0::detail {

namespace {
constexpr std::size_t shown = 5;

struct Labels {
  std::mutex mutex;
  std::set<const Allocation*> live;
};
Labels& labels() {
  static Labels& instance = *new Labels;  // leaked: labelled arrays of static lifetime may outlive it otherwise
  return instance;
}
}  // namespace

void add_label(const Allocation& allocation) {
  const std::lock_guard lock(labels().mutex);
  labels().live.insert(&allocation);
}

void remove_label(const Allocation& allocation) noexcept {
  const std::lock_guard lock(labels().mutex);
  labels().live.erase(&allocation);
}

std::string largest_labels() {
  std::map<std::string, index_t> sums;
  {
    const std::lock_guard lock(labels().mutex);
    for (const Allocation* allocation : labels().live) {
      sums[std::string(allocation->label())] += allocation->range().size();
    }
  }
  std::vector<std::pair<std::string, index_t>> sorted(sums.begin(), sums.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, sorted.size()); ++i) {
    text += (i == 0 ? "" : ", ") + sorted[i].first + " " + std::to_string(sorted[i].second) + " bytes";
  }
  return text;
}

}  // namespace ferry::inline v0::detail
