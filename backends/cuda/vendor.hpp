// What the shared GPU source calls things on NVIDIA. backends/hip has a header of this name with the same contents.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"

/// The vendor's runtime call, type or constant of this name.
#define FERRY_GPU(name) cuda##name

namespace ferry::inline v0::backend::gpu {

inline constexpr const char* backend_name = "cuda";
inline constexpr const char* driver_advice = "install NVIDIA's driver, and check that nvidia-smi lists the GPU";
inline constexpr const char* registration_advice = "";
/// Environment variables that hide devices.
inline constexpr const char* visibility_variables[] = {"CUDA_VISIBLE_DEVICES"};

using DeviceProperties = cudaDeviceProp;
using DeviceAttribute = cudaDeviceAttr;
inline constexpr DeviceAttribute attribute_memory_pools = cudaDevAttrMemoryPoolsSupported;
inline constexpr DeviceAttribute attribute_host_page_tables = cudaDevAttrPageableMemoryAccessUsesHostPageTables;
inline constexpr DeviceAttribute attribute_multiprocessors = cudaDevAttrMultiProcessorCount;
inline constexpr DeviceAttribute attribute_max_pitch = cudaDevAttrMaxPitch;

/// More rows than this do not go into one pitched copy.
inline constexpr std::size_t max_pitched_rows = SIZE_MAX;
/// Whether a copy from pageable memory to the device has read its source when the call returns.
inline constexpr bool buffers_pageable_sources = true;
/// Whether the pool may be out of memory where a plain allocation is not.
inline constexpr bool pool_fails_early = false;
/// Whether the pool may be used at all, where the device says that it has one.
inline bool is_pool_sound() {
  return true;
}

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

inline cudaError_t host_alloc(void** address, std::size_t bytes, MemoryFlags flags, bool mapped) {
  return cudaHostAlloc(address, bytes,
                       (flags.portable ? cudaHostAllocPortable : 0u) |
                           (flags.write_combined ? cudaHostAllocWriteCombined : 0u) |
                           (mapped ? cudaHostAllocMapped : 0u));
}
inline cudaError_t host_free(void* address) {
  return cudaFreeHost(address);
}
inline cudaError_t host_register(void* address, std::size_t bytes, MemoryFlags flags) {
  return cudaHostRegister(address, bytes, cudaHostRegisterMapped | (flags.portable ? cudaHostRegisterPortable : 0u));
}
inline cudaError_t managed_alloc(void** address, std::size_t bytes, MemoryFlags, int /*device*/) {
  return cudaMallocManaged(address, bytes, cudaMemAttachGlobal);
}
inline cudaError_t managed_free(void* address, std::size_t /*bytes*/, MemoryFlags, int /*device*/) {
  return cudaFree(address);
}

using PointerAttributes = cudaPointerAttributes;
inline MemoryKind kind_of(const PointerAttributes& attributes) {
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return MemoryKind::mapped;
    case cudaMemoryTypeDevice:
      return MemoryKind::device;
    case cudaMemoryTypeManaged:
      return MemoryKind::managed;
    default:
      return MemoryKind::pageable;
  }
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

inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
/// What kind of device it is, and what a user must know of it.
inline std::string architecture_text(const DeviceProperties& properties, int /*device*/) {
  return "compute capability " + std::to_string(properties.major) + "." + std::to_string(properties.minor);
}

}  // namespace ferry::inline v0::backend::gpu
