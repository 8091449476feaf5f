#include "backends/sim/sim_flights.hpp"

#include <algorithm>
#include <string>

#include "backends/sim/sim_report.hpp"

namespace ferry::inline v0::backend::sim {

namespace {

constexpr auto poison = std::byte{0xDB};

void protect_touch(const Block& block, const Touch& touch) noexcept {
  const ByteRange& range = touch.what.range();
  block.arena->protect(Arena::host, block.offset + static_cast<std::size_t>(range.begin),
                       static_cast<std::size_t>(range.size()), touch.writes ? Access::none : Access::read);
}

}  // namespace

void Flights::add(const BlockPtr& block, const Touch& touch) {
  if (!block->is_on_host() || touch.what.empty()) return;
  flights_.push_back({block, touch});
  if (block->is_registered()) {
    watch(flights_.back());
  } else {
    protect(*block);
  }
}

void Flights::protect(const Block& block) noexcept {
  if (block.arena == nullptr || block.freed != nullptr) return;
  block.arena->protect(Arena::host, block.offset, block.bytes, Access::write);
  for (const bool writes : {false, true}) {  // pages that both use are closed
    for (const Flight& flight : flights_) {
      if (flight.block.get() == &block && flight.touch.writes == writes && !flight.opened) {
        protect_touch(block, flight.touch);
      }
    }
  }
}

void Flights::close(const Block& block) noexcept {
  if (block.arena != nullptr) block.arena->protect(Arena::host, block.offset, block.bytes, Access::none);
}

// Whether work other than the flight's own may change its elements, as long as it has not run (`before`), or since it
// was queued. Host code may change anything that kernels reach.
bool Flights::others_write(const Flight& flight, bool before) const {
  const Operation& own = *flight.touch.operation;
  if (flight.block->device_address != nullptr && executor_.last_open_ended() > (before ? 0 : own.number) &&
      (!before || executor_.has_open_ended())) {
    return true;
  }
  const auto& touches = flight.block->touches;
  return std::any_of(touches.begin(), touches.end(), [&](const Touch& other) {
    if (other.operation.get() == &own || !(other.writes || (before && flight.touch.writes))) return false;
    return (before ? !other.operation->done : other.operation->number > own.number) &&
           other.what.meets(flight.touch.what);
  });
}

void Flights::watch(Flight& flight) {
  if (others_write(flight, true)) return;
  const Touch& touch = flight.touch;
  if (touch.writes) {
    if (executor_.schedule().kind == SchedulerKind::eager || touch.operation->done) return;
    touch.what.fill(flight.block->engine, poison);
    flight.poisoned = true;
  } else {
    flight.hash = touch.what.hash(flight.block->engine);
    flight.watched = true;
  }
}

void Flights::check(Flight& flight) const {
  const Touch& touch = flight.touch;
  const std::byte* const base = flight.block->engine;
  const bool intact =
      flight.poisoned ? touch.what.all_equal(base, poison) : !flight.watched || touch.what.hash(base) == flight.hash;
  if (intact) return;
  report_bug("the host wrote to " + describe(*flight.block) + " while it was in flight\n  " + describe(touch) +
             "\n  wait for it before that memory is written again: Transfer::wait, or synchronize the stream");
}

void Flights::starting(const Operation& operation) {
  for (Flight& flight : flights_) {
    if (flight.touch.operation.get() == &operation && !executor_.is_lost(operation.device)) check(flight);
  }
}

void Flights::finished(const Operation& operation) {
  for (Flight& flight : flights_) {
    if (flight.touch.operation.get() != &operation || !flight.touch.writes) continue;
    flight.poisoned = false;
    if (!flight.block->is_registered() && !flight.opened) continue;
    flight.hash = flight.touch.what.hash(flight.block->engine);
    flight.watched = true;
  }
}

void Flights::settle() {
  std::vector<BlockPtr> changed;
  std::erase_if(flights_, [&](Flight& flight) {
    if (!executor_.is_seen(*flight.touch.operation)) return false;
    if (flight.watched && !executor_.is_lost(flight.block->device) && flight.block->freed == nullptr &&
        !others_write(flight, false)) {
      check(flight);
    }
    if (!flight.block->is_registered()) changed.push_back(flight.block);
    return true;
  });
  for (const BlockPtr& block : changed) protect(*block);
}

const Touch* Flights::forbidding(const BlockPtr& block, std::size_t byte, bool writes) const {
  for (const Flight& flight : flights_) {
    if (flight.block == block && (flight.touch.writes || writes) && flight.touch.what.contains(byte)) {
      return &flight.touch;
    }
  }
  return nullptr;
}

void Flights::open_for_now(const BlockPtr& block, std::size_t byte) {
  open_for_now_.push_back(block);
  block->arena->protect(Arena::host, block->offset + byte, 1, Access::write);
}

void Flights::close_again() noexcept {
  for (const BlockPtr& block : open_for_now_) protect(*block);
  open_for_now_.clear();
}

void Flights::open_for_good(const BlockPtr& block, std::size_t byte) {
  const auto page = static_cast<index_t>((block->offset + byte) / page_size() * page_size() - block->offset);
  for (Flight& flight : flights_) {
    const ByteRange& range = flight.touch.what.range();
    if (flight.block != block || flight.opened || range.end <= page ||
        range.begin >= page + static_cast<index_t>(page_size())) {
      continue;
    }
    flight.opened = true;
    if (!flight.touch.writes) watch(flight);
  }
  protect(*block);
}

}  // namespace ferry::inline v0::backend::sim
