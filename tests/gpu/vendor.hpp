// One source for both vendors: the runtime's header, and its names.
#pragma once

/// GPU(name) is the vendor's call, type or constant of that name.
#if defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime_api.h>
#define GPU(name) hip##name
#else
#include <cuda_runtime_api.h>
#define GPU(name) cuda##name
#endif

#include <cstddef>

namespace ferry::test {

// Calls whose names or forms differ.
#if defined(__HIP_PLATFORM_AMD__)
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

}  // namespace ferry::test
