// The adapter's streams are the machine's, save the default stream of each thread.
#pragma once

#include <hip/hip_runtime_api.h>

#include "hip_adapter/machine.hpp"

namespace ferry::hip_adapter {

inline void* native(void* stream) {
  return stream == hipStreamPerThread ? machine::per_thread_stream() : stream;
}

}  // namespace ferry::hip_adapter
