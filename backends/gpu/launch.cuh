// Launching a kernel and learning whether that worked, without touching the thread's record of earlier errors.
#pragma once

#include <utility>

#include "vendor.hpp"

namespace ferry::inline v0::backend::gpu {

template <class... Parameters, class... Arguments>
FERRY_GPU(Error_t)
launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, FERRY_GPU(Stream_t) stream, Arguments&&... arguments) {
  // Converted to the kernel's own types first: the call takes the addresses of its parameters.
  return [&](Parameters... parameters) {
    void* addresses[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
    return FERRY_GPU(LaunchKernel)(reinterpret_cast<const void*>(kernel), grid, block, addresses, 0, stream);
  }(std::forward<Arguments>(arguments)...);
}

}  // namespace ferry::inline v0::backend::gpu
