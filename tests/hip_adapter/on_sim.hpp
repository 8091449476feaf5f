// The simulated devices under the adapter.
#pragma once

#include <ferry/error.hpp>
#include <utility>

#include "backends/sim/sim_backend.hpp"

namespace ferry::hip_adapter {

/// The calling thread's device.
backend::sim::SimSpace& current_space();

/// What a call that throws would have returned.
template <class F>
int status_of(F&& f) {
  try {
    std::forward<F>(f)();
    return 0;
  } catch (const OutOfMemory&) {
    return 2;
  } catch (const DeviceError& error) {
    return error.code();
  }
}

}  // namespace ferry::hip_adapter
