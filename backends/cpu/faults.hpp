// What goes wrong in tasks, for backends that run on the CPU.
#pragma once

#include <exception>

#include "ferry/backend/fault.hpp"

namespace ferry::inline v0::backend::cpu {

using namespace fault;  // reported as a GPU driver would

/// What a task threw, as MemorySpace::run promises it: Ferry's errors as they are, all else as a DeviceError.
std::exception_ptr as_ferry_error(const char* where, std::exception_ptr error);

}  // namespace ferry::inline v0::backend::cpu
