// What all simulated devices share.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backends/sim/sim_events.hpp"
#include "backends/sim/sim_executor.hpp"
#include "backends/sim/sim_faults.hpp"
#include "backends/sim/sim_flights.hpp"
#include "backends/sim/sim_kernels.hpp"
#include "backends/sim/sim_memory.hpp"
#include "ferry/backend/ledger.hpp"

namespace ferry::inline v0::backend::sim {

/// From the environment, read when the first simulated device is asked for.
struct Settings {
  Schedule schedule = {};                     ///< FERRY_SIM, else lazy
  int devices = 1;                            ///< FERRY_SIM_DEVICES
  std::size_t memory = std::size_t{1} << 30;  ///< FERRY_SIM_MEMORY, of each device
  Faults faults = {};                         ///< FERRY_SIM_FAULTS, of each device
  static Settings from_environment();
};

/// A child process shares the simulated memory with its parent, but none of what is known of it. As with a GPU's
/// driver, it may hold what it inherited and let it go, and no more.
bool is_forked_child() noexcept;

/// One lock, one executor, one map of memory. Every call of every device takes the lock, and kernels run under it.
class Simulator final : private Executor::Observer {
 public:
  explicit Simulator(const Settings& settings);
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;
  ~Simulator();

  std::recursive_mutex mutex;
  Executor executor;
  Memory memory;
  Ledger ledger{"sim", 0};  // of all devices: memory is page-locked once
  Events events;
  Flights flights{executor};
  Kernels kernels{executor, memory, flights};

  /// Runs the operation, lets go of what it used, and throws what it failed with.
  void wait_for(const OperationPtr& operation);
  void wait_for_device(int device);
  /// Has the memory's last use behind it, as far as the host knows? Ends the process otherwise.
  void end_registration(const BlockPtr& block);
  bool poll(const OperationPtr& operation);

  /// For the fault handler, whose context it gets. False for addresses that the simulator has nothing to do with.
  bool handle_fault(const void* address, bool writes, void* context);

 private:
  void starting(Operation& operation) override { flights.starting(operation); }
  void finished(Operation& operation) override { flights.finished(operation); }
  void host_touched(const void* address, bool writes, void* context);
  std::unique_lock<std::recursive_mutex> lock_in_handler();
};

}  // namespace ferry::inline v0::backend::sim
