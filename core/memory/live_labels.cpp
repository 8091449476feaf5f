#include "core/memory/live_labels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/memory/allocation.hpp"
#include "ferry/live_memory.hpp"

namespace ferry::inline v0 {

namespace detail {

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

struct Unlabelled {
  std::atomic<std::size_t> blocks{0}, bytes{0};
};
std::array<Unlabelled, kind_count> unlabelled;  // without constructor or destructor code, so that it is always there

bool is_report_wanted() {
  const char* const text = std::getenv("FERRY_LEAK_REPORT");
  return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
}

void report_leaks() {
  if (!is_report_wanted()) return;
  const std::string report = live_memory_report();
  if (!report.empty()) std::fprintf(stderr, "ferry: memory still in use at exit:\n%s", report.c_str());
}

// Handlers run in the reverse order of their registration, the destructors of static objects among them: the first one
// registered sees what is left when all of those are gone. Priorities up to 100 are the implementation's own.
__attribute__((constructor(101))) void report_leaks_at_exit() {
  std::atexit(report_leaks);
}
}  // namespace

void UnlabelledCount::begin(MemoryKind kind, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  kind_ = kind;
  bytes_ = bytes;
  Unlabelled& count = unlabelled[static_cast<std::size_t>(kind)];
  count.blocks.fetch_add(1, std::memory_order_relaxed);
  count.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

UnlabelledCount::~UnlabelledCount() {
  if (bytes_ == 0) return;
  Unlabelled& count = unlabelled[static_cast<std::size_t>(kind_)];
  count.blocks.fetch_sub(1, std::memory_order_relaxed);
  count.bytes.fetch_sub(bytes_, std::memory_order_relaxed);
}

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

}  // namespace detail

std::vector<LiveMemory> live_memory() {
  using detail::labels;
  using detail::unlabelled;
  std::map<std::pair<std::string, MemoryKind>, LiveMemory> sums;
  {
    const std::lock_guard lock(labels().mutex);
    for (const detail::Allocation* allocation : labels().live) {
      LiveMemory& sum = sums[{std::string(allocation->label()), allocation->kind()}];
      ++sum.blocks;
      sum.bytes += static_cast<std::size_t>(allocation->range().size());
    }
  }
  std::vector<LiveMemory> result;
  for (const auto& [key, sum] : sums) result.push_back({key.first, key.second, sum.blocks, sum.bytes});
  for (std::size_t kind = 0; kind < unlabelled.size(); ++kind) {
    const std::size_t blocks = unlabelled[kind].blocks, bytes = unlabelled[kind].bytes;
    if (blocks > 0) result.push_back({{}, static_cast<MemoryKind>(kind), blocks, bytes});
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return result;
}

std::string live_memory_report() {
  std::string text;
  for (const LiveMemory& one : live_memory()) {
    text += "  " + (one.label.empty() ? "(no label)" : one.label) + ": " + std::to_string(one.blocks) +
            (one.blocks == 1 ? " block of " : " blocks of ") + std::string(to_string(one.kind)) + " memory, " +
            std::to_string(one.bytes) + " bytes\n";
  }
  return text;
}

}  // namespace ferry::inline v0
