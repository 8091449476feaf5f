// What the machine moves, as far as the choice of a route depends on it.
#pragma once

#include "core/memory/device_state.hpp"

namespace ferry::inline v0::copying {

/// Bytes a second, each byte counted once; `elements` and `call` differ. Of a device that is the host, only `memory`
/// and `elements` are known; the others are infinite.
struct Speeds {
  double up = 0;        ///< from page-locked memory to the device
  double down = 0;      ///< and back
  double device = 0;    ///< copied within the device
  double memory = 0;    ///< copied in the host's memory, by the threads asked for
  double elements = 0;  ///< elements of 4 bytes gathered by these threads in a second, out of the caches
  double call = 0;      ///< seconds until the shortest transfer is done
};

/// Measured at the first call for a device and a number of threads, on a stream of its own: some milliseconds and 16
/// MiB of page-locked and of device memory. Tuning::up and the like replace what is measured. Where host code stands
/// for a device's work, times would say nothing and choices must be repeatable, so figures are fixed there.
/// Thread-safe.
/// @throws what the device's calls do, but OutOfMemory: then the fixed figures hold, this time
Speeds speeds_of(detail::DeviceState& device, int helpers);

}  // namespace ferry::inline v0::copying
