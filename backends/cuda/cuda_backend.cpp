#include "backends/gpu/gpu_backend.hpp"

namespace ferry::inline v0::backend {

Backend* make_cuda_backend();
Backend* make_cuda_backend() {
  return new gpu::GpuBackend;
}

}  // namespace ferry::inline v0::backend
