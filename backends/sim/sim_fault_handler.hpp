// Catches accesses of closed memory.
#pragma once

namespace ferry::inline v0::backend::sim {

class Simulator;

/// Faults go to the simulators first; those that do not concern it, to whoever had them before.
void install_fault_handler(Simulator& simulator);
void remove_fault_handler(Simulator& simulator) noexcept;

}  // namespace ferry::inline v0::backend::sim
