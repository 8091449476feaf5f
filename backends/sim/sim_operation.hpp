// One piece of queued work.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "backends/sim/sim_clock.hpp"
#include "ferry/task.hpp"

namespace ferry::inline v0::backend::sim {

/// What a piece of work threw. Whoever first waits for work behind it gets it, and nobody after.
struct Failure {
  std::exception_ptr error;
  bool reported = false;
};

/// A piece of work and what must be done before it.
struct Operation {
  std::uint64_t number = 0;  ///< in the order of issue; whatever an operation waits for has a smaller one
  int device = 0;
  int stream = 0;           ///< the stream's number on its device, 0 being the legacy default stream
  const char* call = "";    ///< what the program called; a string that lives for ever
  std::size_t slot = 0;     ///< the stream's place in vector clocks
  std::uint64_t epoch = 0;  ///< its own time there
  Clock clock;              ///< all that happened before it, itself included
  Task work;                ///< may be empty: a mere point in a stream
  std::vector<std::shared_ptr<Operation>> after;
  std::shared_ptr<Failure> failure;  ///< its own, or one inherited from what it waited for
  std::chrono::steady_clock::time_point finished{};
  bool done = false;
  bool open_ended = false;  ///< host code whose accesses nobody declared
  int polls = 0;
};
using OperationPtr = std::shared_ptr<Operation>;

/// Whether the program orders `earlier` before `later`.
inline bool happens_before(const Operation& earlier, const Operation& later) noexcept {
  return earlier.epoch <= later.clock[earlier.slot];
}

/// "fill on stream 2 of sim:0 (operation 17)".
std::string describe(const Operation& operation);

}  // namespace ferry::inline v0::backend::sim
