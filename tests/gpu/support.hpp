// What the CUDA suite shares: raw kernels and checked calls, as a user's program has them.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ferry/ferry.hpp>
#include <ferry/memory_resource.hpp>
#include <string>

#include "support/test_device.hpp"

namespace ferry::test {

#define FERRY_CUDA_OK(call) ASSERT_EQ(cudaSuccess, (call)) << #call

/// Keeps a stream busy for about so many milliseconds, so that a missing wait shows.
__global__ inline void stall_kernel(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
inline void stall(cudaStream_t stream, int milliseconds = 50) {
  stall_kernel<<<1, 1, 0, stream>>>(static_cast<long long>(milliseconds) * 1'500'000);
}

__global__ inline void add_kernel(int* values, index_t n, int value) {
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<index_t>(gridDim.x) * blockDim.x) {
    values[i] += value;
  }
}

/// Counts the elements that differ from a value, on the device: for arrays too large to fetch.
template <class T>
__global__ void count_other_kernel(const T* values, index_t n, T value, unsigned long long* others) {
  unsigned long long mine = 0;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<index_t>(gridDim.x) * blockDim.x) {
    mine += values[i] != value;
  }
  if (mine != 0) atomicAdd(others, mine);
}

/// A foreign stream, as another library would make it.
class ForeignStream {
 public:
  explicit ForeignStream(unsigned flags = cudaStreamDefault) { cudaStreamCreateWithFlags(&stream_, flags); }
  ForeignStream(const ForeignStream&) = delete;
  ForeignStream& operator=(const ForeignStream&) = delete;
  ~ForeignStream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace ferry::test
