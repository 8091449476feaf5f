// Waiting for several streams, whatever their work comes to.
#pragma once

#include <memory>
#include <vector>

#include "core/memory/device_state.hpp"

namespace ferry::inline v0::detail {

/// Waits for all of them, also when the work of some has failed; then throws the first failure. A stream that is being
/// captured has nothing queued that could be waited for.
void wait_for_streams(const std::vector<std::shared_ptr<StreamState>>& streams);

}  // namespace ferry::inline v0::detail
