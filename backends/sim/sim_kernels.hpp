// Host code that runs as a kernel of a simulated device.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "backends/sim/sim_block.hpp"
#include "backends/sim/sim_executor.hpp"
#include "backends/sim/sim_flights.hpp"
#include "backends/sim/sim_memory.hpp"

namespace ferry::inline v0::backend::sim {

/// Opens device memory to a kernel, block by block, as it is touched. What the program declared is known and checked
/// when the kernel is queued; without that, this finds what can be known for certain: the first byte that it touches
/// of each block, and the bytes that differ when it has ended.
///
/// A kernel may bring its own threads, so that any thread which faults while it runs is taken to be of it.
class Kernels {
 public:
  /// One block that a kernel said it would touch.
  struct Declared {
    BlockPtr block;
    bool writes;
  };

  Kernels(Executor& executor, Memory& memory, Flights& flights)
      : executor_(executor), memory_(memory), flights_(flights) {}

  /// Runs the task of the executor's running operation. `declared` is null when nothing is known.
  void run(Task& task, const std::vector<Declared>* declared);
  bool is_running() const noexcept { return is_running_.load(); }
  /// For the fault handler: opens what the kernel may touch, and returns; ends the process when it may not.
  void touched(const void* address, bool writes);
  /// The same for registered memory, whose pages may hold what is nobody's business; false for other addresses.
  bool touched_registered(const void* address, bool writes);

 private:
  struct Opened {
    BlockPtr block;
    Access access = Access::none;
    std::vector<std::byte> before;  // the content when the kernel first wrote to it
  };
  [[noreturn]] void report(const std::string& what, const std::string& advice) const;
  void open(Opened& opened, Access access) noexcept;
  void close_all() noexcept;
  void note_writes();

  Executor& executor_;
  Memory& memory_;
  Flights& flights_;
  std::atomic<bool> is_running_{false};
  std::mutex mutex_;  // between the kernel's own threads
  OperationPtr operation_;
  const std::vector<Declared>* declared_ = nullptr;
  std::vector<Opened> opened_;
};

}  // namespace ferry::inline v0::backend::sim
