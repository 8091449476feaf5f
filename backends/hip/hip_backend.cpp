#include "backends/gpu/gpu_backend.hpp"

namespace ferry::inline v0::backend {

Backend* make_hip_backend();
Backend* make_hip_backend() {
  return new gpu::GpuBackend;
}

}  // namespace ferry::inline v0::backend
