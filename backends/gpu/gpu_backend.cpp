#include "backends/gpu/gpu_backend.hpp"

#include <cstdlib>

namespace ferry::inline v0::backend::gpu {

GpuBackend::GpuBackend() {
  int count = 0;
  const FERRY_GPU(Error_t) status = FERRY_GPU(GetDeviceCount)(&count);
  if (status != FERRY_GPU(Success) || count == 0) {
    static_cast<void>(FERRY_GPU(GetLastError)());
    reason_ = std::string("the driver reports ") +
              (status == FERRY_GPU(Success) ? "no devices" : FERRY_GPU(GetErrorString)(status)) + "; " + driver_advice;
    for (const char* const variable : visibility_variables) {
      if (const char* text = std::getenv(variable)) {
        reason_ += std::string("; ") + variable + " is set to '" + text + "', which hides all other devices";
      }
    }
    return;
  }
  for (int device = 0; device < count; ++device) spaces_.push_back(std::make_unique<GpuSpace>(device));
}

}  // namespace ferry::inline v0::backend::gpu
