#include "backends/sim/sim_races.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/sim/sim_report.hpp"

namespace ferry::inline v0::backend::sim {

namespace {

// Beyond this, accesses are forgotten that only work could race with which is queued already.
constexpr std::size_t long_list = 4096;

bool ordered(const Operation& a, const Operation& b) {
  return happens_before(a, b) || happens_before(b, a);
}

[[noreturn]] void report_race(const Block& block, const Touch& later, const Touch& earlier) {
  report_bug("race on " + describe(block) + "\n  " + describe(later) + "\n  " + describe(earlier) +
             "\n  nothing orders the two: let one stream wait for an event recorded on the other, or let the host wait "
             "in between");
}

// Whatever races with `earlier` races with `later` too: it follows it, and touches as much in as strong a way.
bool covers(const Touch& later, const Touch& earlier) {
  if (!happens_before(*earlier.operation, *later.operation) || (earlier.writes && !later.writes)) return false;
  return later.what.covers(earlier.what);
}

}  // namespace

std::string describe(const Touch& touch) {
  return describe(*touch.operation) + (touch.writes ? " writes " : " reads ") + touch.what.to_string();
}

void check_access(const Executor& executor, Block& block, Touch touch) {
  if (block.freed != nullptr && !happens_before(*touch.operation, *block.freed)) {
    report_bug(describe(block) + " is used while it may be freed\n  " + describe(touch) + "\n  " +
               describe(*block.freed) +
               " gives it back\n  nothing orders the two: free it on the same stream, or let " +
               "that stream wait for an event first");
  }
  for (const Touch& other : block.touches) {
    if (!touch.writes && !other.writes) continue;
    if (other.operation == touch.operation || ordered(*other.operation, *touch.operation)) continue;
    if (other.what.meets(touch.what)) report_race(block, touch, other);
  }
  // Work that is queued already may be found out later to touch this block, and race with any of these.
  if (!executor.has_open_ended() || block.touches.size() > long_list) {
    std::erase_if(block.touches,
                  [&](const Touch& other) { return executor.is_seen(*other.operation) || covers(touch, other); });
  }
  block.touches.push_back(std::move(touch));
}

void check_end(const Executor& executor, Block& block, const OperationPtr& end) {
  for (const Touch& other : block.touches) {
    if (executor.is_seen(*other.operation) || happens_before(*other.operation, *end)) continue;
    report_bug(describe(block) + " is given back while it may be in use\n  " + describe(*end) + " gives it back\n  " +
               describe(other) +
               "\n  nothing orders the two: free it on the same stream, or let that stream wait for an event first");
  }
  block.freed = end;
}

}  // namespace ferry::inline v0::backend::sim
