// Between the backend, which names HIP's types, and its kernels as nvcc compiles them, which name CUDA's.
#pragma once

#include <ferry/backend/strided.hpp>

namespace ferry::hip_adapter::cuda_kernels {

// As in backends/gpu/kernels.hpp.
int copy(const backend::StridedCopy& copy, int multiprocessors, void* stream);
int fill(const backend::StridedFill& fill, int multiprocessors, void* stream);
int convert(const backend::StridedConvert& convert, int to, int from, int multiprocessors, void* stream);

}  // namespace ferry::hip_adapter::cuda_kernels
