// The faults that the host backend reports as a GPU driver would.
#pragma once

namespace ferry::inline v0::backend::host_fault {

// Numbers and names are those that CUDA and HIP share, without the vendor's prefix, so that code which reads them need
// not know the backend.
struct Fault {
  int code;
  const char* name;
};
inline constexpr Fault invalid_value{1, "InvalidValue"};
inline constexpr Fault invalid_handle{400, "InvalidResourceHandle"};
inline constexpr Fault already_registered{712, "HostMemoryAlreadyRegistered"};
inline constexpr Fault not_registered{713, "HostMemoryNotRegistered"};
inline constexpr Fault launch_failure{719, "LaunchFailure"};

/// @throws DeviceError; `why` says what is wrong with this call
[[noreturn]] void raise(const char* call, const Fault& fault, const char* why);

}  // namespace ferry::inline v0::backend::host_fault
