// Host code as a kernel of the simulated device under the adapter.
#pragma once

#include <ferry/task.hpp>

namespace ferry::hip_adapter {

/// Queues a task on a stream of the calling thread's device.
void run_as_kernel(Task task, void* stream);

}  // namespace ferry::hip_adapter
