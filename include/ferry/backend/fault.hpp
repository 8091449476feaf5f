// The faults that backends find themselves, reported as a GPU driver would.
#pragma once

#include <string_view>

#include "ferry/config.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::fault {

// Numbers and names are those that CUDA and HIP share, without the vendor's prefix, so that code which reads them need
// not know the backend.
struct Fault {
  int code;
  const char* name;
};
inline constexpr Fault invalid_value{1, "InvalidValue"};
inline constexpr Fault initialization{3, "InitializationError"};
inline constexpr Fault unloading{4, "Unloading"};
inline constexpr Fault device_lost{46, "DevicesUnavailable"};
inline constexpr Fault invalid_handle{400, "InvalidResourceHandle"};
inline constexpr Fault not_ready{600, "NotReady"};
inline constexpr Fault context_destroyed{709, "ContextIsDestroyed"};
inline constexpr Fault already_registered{712, "HostMemoryAlreadyRegistered"};
inline constexpr Fault not_registered{713, "HostMemoryNotRegistered"};
inline constexpr Fault launch_failure{719, "LaunchFailure"};
inline constexpr Fault not_permitted{800, "NotPermitted"};
inline constexpr Fault unknown{999, "Unknown"};

/// @throws DeviceError; `why` says what is wrong with this call, `fatal` that no later one can work
[[noreturn]] FERRY_EXPORT void raise(std::string_view backend, const char* call, const Fault& fault, const char* why,
                                     bool fatal = false);

/// Whether the device is gone rather than faulty: the process is ending, or forked, or somebody has reset the device.
/// Then there is nothing to give back and nobody to tell, so ways out stay silent.
FERRY_EXPORT bool means_gone(const DeviceError& error) noexcept;

}  // namespace ferry::inline v0::backend::fault
