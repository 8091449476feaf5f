// Which device the calling thread's HIP calls mean.
#pragma once

#include "ferry/config.hpp"

namespace ferry::inline v0::backend::gpu {

/// HIP has no contexts to push: the thread's device is set, and set back. Setting one back costs nothing, since HIP
/// makes what it needs of a device at the first call that uses it.
class DeviceContext {
 public:
  explicit DeviceContext(int device) noexcept : device_(device) {}

  /// Makes the device the calling thread's. Returns what leave() needs.
  /// @throws DeviceError, fatal when the process is ending
  int enter();
  void leave(int entered) noexcept;
  /// False once the process is ending. A reset of the device by somebody else is not found out: HIP has no call that
  /// tells.
  bool is_alive() const noexcept;

 private:
  int device_;
};

}  // namespace ferry::inline v0::backend::gpu
