// CUDA's side.
#include "hip_adapter/cuda/kernels.hpp"

#include "backends/gpu/kernels.hpp"

namespace ferry::hip_adapter::cuda_kernels {

int copy(const backend::StridedCopy& copy, int multiprocessors, void* stream) {
  return static_cast<int>(backend::gpu::launch_copy(copy, multiprocessors, static_cast<cudaStream_t>(stream)));
}
int fill(const backend::StridedFill& fill, int multiprocessors, void* stream) {
  return static_cast<int>(backend::gpu::launch_fill(fill, multiprocessors, static_cast<cudaStream_t>(stream)));
}
int convert(const backend::StridedConvert& convert, int to, int from, int multiprocessors, void* stream) {
  return static_cast<int>(
      backend::gpu::launch_convert(convert, to, from, multiprocessors, static_cast<cudaStream_t>(stream)));
}

}  // namespace ferry::hip_adapter::cuda_kernels
