// The frame around every call into the driver.
#pragma once

#include "backends/gpu/gpu_space.hpp"

namespace ferry::inline v0::backend::gpu {

class GpuSpace::Entry {
 public:
  explicit Entry(const GpuSpace& space);
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry() {
    static_cast<void>(FERRY_GPU(ThreadExchangeStreamCaptureMode)(&mode_));
    space_.context_.leave(entered_);
  }

 private:
  const GpuSpace& space_;
  int entered_;
  // While a stream is being captured anywhere, drivers refuse all calls that might wait for it, from any thread. Those
  // that Ferry makes are about other streams, and say so for as long as this lives.
  FERRY_GPU(StreamCaptureMode) mode_ = FERRY_GPU(StreamCaptureModeRelaxed);
};

}  // namespace ferry::inline v0::backend::gpu
