// What the shared GPU source calls things on NVIDIA. backends/hip has a header of this name with the same contents.
#pragma once

#include <cuda_runtime_api.h>

#include "ferry/config.hpp"

/// The vendor's runtime call, type or constant of this name.
#define FERRY_GPU(name) cuda##name

namespace ferry::inline v0::backend::gpu {

inline constexpr const char* backend_name = "cuda";
inline constexpr const char* driver_advice = "install NVIDIA's driver, and check that nvidia-smi lists the GPU";

inline constexpr unsigned host_alloc_portable = cudaHostAllocPortable;
inline constexpr unsigned host_alloc_mapped = cudaHostAllocMapped;
inline constexpr unsigned host_alloc_write_combined = cudaHostAllocWriteCombined;

/// After these the device cannot be used again in this process.
constexpr bool is_fatal(cudaError_t status) noexcept {
  switch (status) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorExternalDevice:
      return true;
    default:
      return false;
  }
}

/// The process is ending and the runtime has let go of the device: nothing is left to do or to report.
constexpr bool is_unloading(cudaError_t status) noexcept {
  return status == cudaErrorCudartUnloading || status == cudaErrorDeviceUninitialized;
}

/// Prefetch: the call's form differs between versions.
inline cudaError_t prefetch_async(const void* address, std::size_t bytes, bool to_device, int device,
                                  cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  cudaMemLocation location{};
  location.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
  location.id = to_device ? device : 0;
  return cudaMemPrefetchAsync(address, bytes, location, 0, stream);
#else
  return cudaMemPrefetchAsync(address, bytes, to_device ? device : cudaCpuDeviceId, stream);
#endif
}

}  // namespace ferry::inline v0::backend::gpu
