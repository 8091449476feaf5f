#include "backends/hip/context.hpp"

#include <hip/hip_runtime_api.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "ferry/backend/fault.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::gpu {

namespace {

// The runtime is taken down by destructors that were registered when it was loaded, hence run after a handler that was
// registered at the first use of a device. That one draws the line: arrays made since are given back before it, and
// those that are left go with the process.
std::atomic<bool> is_ending{false};

void watch_for_the_end() {
  static const int watching = std::atexit([] { is_ending = true; });
  static_cast<void>(watching);
}

void check(const char* call, hipError_t status) {
  if (status == hipSuccess) return;
  if (hipPeekAtLastError() == status) static_cast<void>(hipGetLastError());
  throw DeviceError(std::string("hip: ") + call + " (" + hipGetErrorString(status) + ")", static_cast<int>(status),
                    hipGetErrorName(status));
}

}  // namespace

bool DeviceContext::is_alive() const noexcept {
  return !is_ending.load(std::memory_order_relaxed);
}

int DeviceContext::enter() {
  if (!is_alive()) {
    fault::raise("hip", "any call", fault::unloading, "the process is ending, and the driver may have let go", true);
  }
  int former = 0;
  check("GetDevice", hipGetDevice(&former));
  watch_for_the_end();
  if (former == device_) return 0;
  check("SetDevice", hipSetDevice(device_));
  return former + 1;
}

void DeviceContext::leave(int entered) noexcept {
  if (entered != 0) static_cast<void>(hipSetDevice(entered - 1));
}

}  // namespace ferry::inline v0::backend::gpu
