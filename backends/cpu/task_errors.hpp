// What host code throws that runs as a device's kernel.
#pragma once

#include <exception>

namespace ferry::inline v0::backend::cpu {

/// As MemorySpace::run promises it: Ferry's errors as they are, all else as a DeviceError.
std::exception_ptr as_ferry_error(const char* backend, std::exception_ptr error);

}  // namespace ferry::inline v0::backend::cpu
