#include "backends/gpu/gpu_backend.hpp"

namespace ferry::inline v0::backend::gpu {

GpuBackend::GpuBackend() {
  int count = 0;
  const FERRY_GPU(Error_t) status = FERRY_GPU(GetDeviceCount)(&count);
  if (status != FERRY_GPU(Success) || count == 0) {
    static_cast<void>(FERRY_GPU(GetLastError)());
    reason_ = std::string("the driver reports ") +
              (status == FERRY_GPU(Success) ? "no devices" : FERRY_GPU(GetErrorString)(status)) + "; " + driver_advice;
    return;
  }
  for (int device = 0; device < count; ++device) spaces_.push_back(std::make_unique<GpuSpace>(device));
}

}  // namespace ferry::inline v0::backend::gpu
