// Which pairs of accesses the program does not order.
#pragma once

#include "backends/sim/sim_block.hpp"
#include "backends/sim/sim_executor.hpp"

namespace ferry::inline v0::backend::sim {

/// Notes an access, and ends the program when an earlier one of the same elements, of which one writes, is not ordered
/// with it. The operation may have been queued before others that are noted already.
void check_access(const Executor& executor, Block& block, Touch touch);

/// The deallocation or unregistration of a whole block.
void check_end(const Executor& executor, Block& block, const OperationPtr& end);

}  // namespace ferry::inline v0::backend::sim
