// HIP's side: the backend's kernels are those that nvcc has compiled from the same source.
#include "backends/gpu/kernels.hpp"
#include "hip_adapter/cuda/kernels.hpp"
#include "hip_adapter/streams.hpp"

namespace ferry::inline v0::backend::gpu {

namespace cuda_kernels = hip_adapter::cuda_kernels;
using hip_adapter::native;

hipError_t launch_copy(const StridedCopy& copy, int multiprocessors, hipStream_t stream) {
  return static_cast<hipError_t>(cuda_kernels::copy(copy, multiprocessors, native(stream)));
}
hipError_t launch_fill(const StridedFill& fill, int multiprocessors, hipStream_t stream) {
  return static_cast<hipError_t>(cuda_kernels::fill(fill, multiprocessors, native(stream)));
}
hipError_t launch_convert(const StridedConvert& convert, int to, int from, int multiprocessors, hipStream_t stream) {
  return static_cast<hipError_t>(cuda_kernels::convert(convert, to, from, multiprocessors, native(stream)));
}

}  // namespace ferry::inline v0::backend::gpu
