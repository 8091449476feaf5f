// Which device the calling thread's CUDA calls mean.
#pragma once

#include <cuda.h>

#include <mutex>

namespace ferry::inline v0::backend::gpu {

/// One device's primary context. Entered by pushing it on the thread's stack of contexts and left by popping, instead
/// of by cudaSetDevice: setting back a device that nobody has used yet would make a context on it, with hundreds of
/// megabytes.
class DeviceContext {
 public:
  explicit DeviceContext(int device) noexcept : device_(device) {}

  /// Makes the device the calling thread's, creating its context at the first call. Returns what leave() needs.
  /// @throws DeviceError, fatal when somebody has reset the device since
  int enter();
  void leave(int entered) noexcept;
  /// False once somebody has reset the device: whatever was made on it is gone, and its handles must not be used.
  bool is_alive() const noexcept;
  /// Whether enter() was ever called.
  bool is_used() const noexcept { return context_ != nullptr; }

 private:
  void create();
  int device_;
  std::once_flag once_;
  CUcontext context_ = nullptr;
  unsigned long long id_ = 0;
};

}  // namespace ferry::inline v0::backend::gpu
