// Host memory that unfinished work uses.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/sim/sim_block.hpp"
#include "backends/sim/sim_executor.hpp"

namespace ferry::inline v0::backend::sim {

/// From the call that queues a transfer until the host has waited for it, the host must leave its memory alone: not
/// write what is being read, not touch what is being written. Whether the transfer has run makes no difference.
///
/// The simulator's own memory is page-protected for that time. An access beside the elements that count is let through.
/// Where a thread cannot be stopped behind it, the page stays open, and the elements are watched as in registered
/// memory, whose pages belong to others too: what is read is hashed and compared later, what is written is poisoned.
class Flights {
 public:
  explicit Flights(const Executor& executor) : executor_(executor) {}

  /// An operation that has just been queued will use the elements.
  void add(const BlockPtr& block, const Touch& touch);
  /// The operation is about to run, or has just run.
  void starting(const Operation& operation);
  void finished(const Operation& operation);
  /// Lets go of what the host has waited for.
  void settle();
  /// The flight that forbids the host to touch a byte; null when none does.
  const Touch* forbidding(const BlockPtr& block, std::size_t byte, bool writes) const;
  /// Opens the byte's page until close_again(), or until its flights have landed.
  void open_for_now(const BlockPtr& block, std::size_t byte);
  void close_again() noexcept;
  void open_for_good(const BlockPtr& block, std::size_t byte);
  /// The host touches no part of the block any more.
  void close(const Block& block) noexcept;
  /// The flights of the block set its protection again, after something else did.
  void protect(const Block& block) noexcept;

 private:
  struct Flight {
    BlockPtr block;
    Touch touch;
    bool opened = false;   // a page of it
    bool watched = false;  // hash or poison hold
    bool poisoned = false;
    std::uint64_t hash = 0;
  };
  void watch(Flight& flight);
  void check(Flight& flight) const;
  bool others_write(const Flight& flight, bool before) const;

  const Executor& executor_;
  std::vector<Flight> flights_;
  std::vector<BlockPtr> open_for_now_;
};

}  // namespace ferry::inline v0::backend::sim
