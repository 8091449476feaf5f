// Control of the simulated device, for tests: which legal order its work takes, and failures made to happen. The rest
// of a program needs none of it: FERRY_DEVICE=sim is enough.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ferry/config.hpp"
#include "ferry/device.hpp"

namespace ferry::inline v0::sim {

/// The schedule of all simulated devices: FERRY_SIM, or what was set since.
FERRY_EXPORT std::string schedule();
/// "eager", "lazy" or "random:SEED". Work that is queued already follows the new one.
/// @throws Error for any other text; BackendUnavailable where the environment's settings are wrong
FERRY_EXPORT void set_schedule(std::string_view schedule);

// The functions below take a simulated device.
// @throws AccessError for any other device

/// The n-th allocation from now on, 1 being the next, throws OutOfMemory. So does the retry that Ferry makes.
FERRY_EXPORT void fail_allocation(const Device& device, std::size_t n);
/// The n-th copy from now on throws a DeviceError, and nothing is copied.
FERRY_EXPORT void fail_copy(const Device& device, std::size_t n);
/// From now on every call on the device throws a DeviceError whose fatal() is true. Queued work never runs.
FERRY_EXPORT void lose(const Device& device);
/// A lost device works again, and failures that have not happened are called off.
FERRY_EXPORT void restore(const Device& device);

/// Changes the device's memory, in bytes, at most to 64 GiB; what is allocated stays. Returns the former size.
FERRY_EXPORT std::size_t set_memory(const Device& device, std::size_t bytes);

/// What a simulated device was asked to do since the program began.
struct Counts {
  std::size_t copies = 0, fills = 0, conversions = 0, kernels = 0;
  std::size_t allocations = 0, deallocations = 0;
  std::size_t pending = 0;  ///< operations queued and not run: also events, waits and deallocations
};
FERRY_EXPORT Counts counts(const Device& device);

}  // namespace ferry::inline v0::sim
