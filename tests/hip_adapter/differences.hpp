// What tests may ask of the adapter: how AMD's devices differ, and what the backend has called.
#pragma once

#include <cstddef>

namespace ferry::hip_adapter {

/// Made to differ by FERRY_HIP_ADAPTER, names separated by commas, read once.
struct Differences {
  bool no_async_malloc = false;      ///< "no-async-malloc": the device has no pool
  bool async_out_of_memory = false;  ///< "async-out-of-memory": the pool never has any, while plain allocations work
  bool xnack_off = false;            ///< "xnack-off": managed memory does not migrate
  bool no_registration = false;      ///< "no-registration": host memory is not page-locked
};
const Differences& differences();

/// What is known of an allocation or registration that starts here: the flags of hipHostMalloc or hipHostRegister, and
/// whether managed memory is advised to be coarse-grained.
struct Known {
  bool found = false;
  unsigned flags = 0;
  bool coarse_advice = false;
};
Known known(const void* address);

/// How often the calls were made.
struct Calls {
  std::size_t malloc = 0, malloc_from_pool = 0, memcpy_2d = 0;
};
Calls calls();

}  // namespace ferry::hip_adapter
