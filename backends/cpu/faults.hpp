// The faults that backends running on the CPU report as a GPU driver would.
#pragma once

#include <exception>
#include <string>

namespace ferry::inline v0::backend::cpu {

// Numbers and names are those that CUDA and HIP share, without the vendor's prefix, so that code which reads them need
// not know the backend.
struct Fault {
  int code;
  const char* name;
};
inline constexpr Fault invalid_value{1, "InvalidValue"};
inline constexpr Fault device_lost{46, "DevicesUnavailable"};
inline constexpr Fault invalid_handle{400, "InvalidResourceHandle"};
inline constexpr Fault not_ready{600, "NotReady"};
inline constexpr Fault already_registered{712, "HostMemoryAlreadyRegistered"};
inline constexpr Fault not_registered{713, "HostMemoryNotRegistered"};
inline constexpr Fault launch_failure{719, "LaunchFailure"};
inline constexpr Fault not_permitted{800, "NotPermitted"};
inline constexpr Fault unknown{999, "Unknown"};

/// @throws DeviceError; `where` is the backend, `why` says what is wrong with this call
[[noreturn]] void raise(const char* where, const char* call, const Fault& fault, const std::string& why,
                        bool fatal = false);

/// What a task threw, as MemorySpace::run promises it: Ferry's errors as they are, all else as a DeviceError.
std::exception_ptr as_ferry_error(const char* where, std::exception_ptr error);

}  // namespace ferry::inline v0::backend::cpu
