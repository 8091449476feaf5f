// What the suites of real GPUs share: raw kernels and checked calls, as a user's program has them. One source for CUDA
// and HIP.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <ferry/ferry.hpp>
#include <ferry/memory_resource.hpp>
#include <string>

#include "support/test_device.hpp"

namespace ferry::test {

/// The vendor's call, type or constant of this name.
#if defined(__HIPCC__)
#define GPU(name) hip##name
#else
#define GPU(name) cuda##name
#endif
#define FERRY_GPU_OK(call) ASSERT_EQ(GPU(Success), (call)) << #call

// Calls whose names or forms differ.
#if defined(__HIPCC__)
inline hipError_t host_malloc(void** address, std::size_t bytes) {
  return hipHostMalloc(address, bytes, hipHostMallocDefault);
}
inline hipError_t host_free(void* address) {
  return hipHostFree(address);
}
inline hipError_t instantiate(hipGraphExec_t* executable, hipGraph_t graph) {
  return hipGraphInstantiate(executable, graph, nullptr, nullptr, 0);
}
#else
inline cudaError_t host_malloc(void** address, std::size_t bytes) {
  return cudaMallocHost(address, bytes);
}
inline cudaError_t host_free(void* address) {
  return cudaFreeHost(address);
}
inline cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph) {
  return cudaGraphInstantiate(executable, graph, 0);
}
#endif

/// Keeps a stream busy for about so many milliseconds, so that a missing wait shows.
__global__ inline void stall_kernel(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
inline void stall(GPU(Stream_t) stream, int milliseconds = 50) {
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
  explicit ForeignStream(unsigned flags = GPU(StreamDefault)) {
    static_cast<void>(GPU(StreamCreateWithFlags)(&stream_, flags));
  }
  ForeignStream(const ForeignStream&) = delete;
  ForeignStream& operator=(const ForeignStream&) = delete;
  ~ForeignStream() { static_cast<void>(GPU(StreamDestroy)(stream_)); }
  operator GPU(Stream_t)() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  GPU(Stream_t) stream_ = nullptr;
};

}  // namespace ferry::test
