// What the shared GPU source calls things on AMD. backends/cuda has a header of this name with the same contents.
// ROCm 5.2 to 7.
#pragma once

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#else
#include <hip/hip_runtime_api.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"
#include "ferry/error.hpp"

/// The vendor's runtime call, type or constant of this name.
#define FERRY_GPU(name) hip##name

namespace ferry::inline v0::backend::gpu {

inline constexpr const char* backend_name = "hip";
inline constexpr const char* driver_advice =
    "load AMD's driver (amdgpu), let your user open /dev/kfd and /dev/dri (groups render and video), and check that "
    "rocminfo lists the GPU";
inline constexpr const char* registration_advice =
    "; the driver locks only a part of the machine's memory, and no file that is mapped read-only: lock less, or copy "
    "without locking";
/// Environment variables that hide devices.
inline constexpr const char* visibility_variables[] = {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                                       "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"};

using DeviceProperties = hipDeviceProp_t;
using DeviceAttribute = hipDeviceAttribute_t;
inline constexpr DeviceAttribute attribute_memory_pools = hipDeviceAttributeMemoryPoolsSupported;
inline constexpr DeviceAttribute attribute_host_page_tables = hipDeviceAttributePageableMemoryAccessUsesHostPageTables;
inline constexpr DeviceAttribute attribute_multiprocessors = hipDeviceAttributeMultiprocessorCount;
inline constexpr DeviceAttribute attribute_max_pitch = hipDeviceAttributeMaxPitch;

/// More rows than this do not go into one pitched copy: some versions refuse those of more than about a million.
inline constexpr std::size_t max_pitched_rows = std::size_t{1} << 19;
/// Whether a copy from pageable memory to the device has read its source when the call returns: that differs between
/// versions, so it is not relied on.
inline constexpr bool buffers_pageable_sources = false;
/// Whether the pool may be out of memory where a plain allocation is not.
inline constexpr bool pool_fails_early = true;
/// Whether the pool may be used at all, where the device says that it has one: FERRY_HIP_MALLOC_ASYNC if it is set,
/// else in ROCm 6 only. It was new in 5, and in 7 it is out of memory too early.
/// @throws Error for other values than 0 and 1
inline bool is_pool_sound() {
  if (const char* text = std::getenv("FERRY_HIP_MALLOC_ASYNC"); text != nullptr && *text != '\0') {
    const std::string_view wanted(text);
    if (wanted == "0" || wanted == "1") return wanted == "1";
    throw Error("ferry: FERRY_HIP_MALLOC_ASYNC is '" + std::string(text) + "'; write 0 or 1");
  }
  int version = 0;
  if (hipRuntimeGetVersion(&version) != hipSuccess) {
    static_cast<void>(hipGetLastError());
    return false;
  }
  return version / 10'000'000 == 6;
}

/// After these the device cannot be used again in this process.
constexpr bool is_fatal(hipError_t status) noexcept {
  switch (status) {
    case hipErrorECCNotCorrectable:
    case hipErrorIllegalAddress:
    case hipErrorLaunchTimeOut:
    case hipErrorContextIsDestroyed:
    case hipErrorAssert:
    case hipErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

/// The process is ending and the runtime has let go of the device: nothing is left to do or to report.
constexpr bool is_unloading(hipError_t status) noexcept {
  return status == hipErrorDeinitialized;
}

// Host memory is coarse-grained unless the program asks otherwise: on fine-grained memory AMD's floating-point atomics
// do nothing, silently. What kernels have written to coarse-grained memory is seen by the host once it has waited for
// them, and Ferry offers no earlier look.
inline hipError_t host_alloc(void** address, std::size_t bytes, MemoryFlags flags, bool mapped) {
  return hipHostMalloc(address, bytes,
                       (flags.portable ? hipHostMallocPortable : 0u) |
                           (flags.write_combined ? hipHostMallocWriteCombined : 0u) |
                           (mapped ? hipHostMallocMapped : 0u) |
                           (flags.fine_grained ? hipHostMallocCoherent : hipHostMallocNonCoherent));
}
inline hipError_t host_free(void* address) {
  return hipHostFree(address);
}
inline hipError_t host_register(void* address, std::size_t bytes, MemoryFlags flags) {
  return hipHostRegister(address, bytes,
                         hipHostRegisterMapped | (flags.portable ? hipHostRegisterPortable : 0u) |
                             (flags.fine_grained ? 0u : hipExtHostRegisterCoarseGrained));
}
inline hipError_t managed_alloc(void** address, std::size_t bytes, MemoryFlags flags, int device) {
  const hipError_t status = hipMallocManaged(address, bytes, hipMemAttachGlobal);
  if (status != hipSuccess || flags.fine_grained) return status;
  const hipError_t advised = hipMemAdvise(*address, bytes, hipMemAdviseSetCoarseGrain, device);
  if (advised != hipSuccess) static_cast<void>(hipFree(*address));
  return advised;
}
/// Advice outlives the memory, and would be the next owner's.
inline hipError_t managed_free(void* address, std::size_t bytes, MemoryFlags flags, int device) {
  const hipError_t advised =
      flags.fine_grained ? hipSuccess : hipMemAdvise(address, bytes, hipMemAdviseUnsetCoarseGrain, device);
  const hipError_t freed = hipFree(address);
  return freed != hipSuccess ? freed : advised;
}

using PointerAttributes = hipPointerAttribute_t;
inline MemoryKind kind_of(const PointerAttributes& attributes) {
  if (attributes.isManaged != 0) return MemoryKind::managed;
#if HIP_VERSION_MAJOR >= 6
  const hipMemoryType type = attributes.type;
  if (type == hipMemoryTypeManaged) return MemoryKind::managed;
#else
  const hipMemoryType type = attributes.memoryType;
#endif
  if (type == hipMemoryTypeHost) return MemoryKind::mapped;
  return type == hipMemoryTypeDevice ? MemoryKind::device : MemoryKind::pageable;
}

inline hipError_t prefetch_async(const void* address, std::size_t bytes, bool to_device, int device,
                                 hipStream_t stream) {
  return hipMemPrefetchAsync(address, bytes, to_device ? device : hipCpuDeviceId, stream);
}

inline std::string version_text(int version) {
  return std::to_string(version / 10'000'000) + "." + std::to_string(version / 100'000 % 100);
}
/// What kind of device it is, and what a user must know of it.
inline std::string architecture_text(const DeviceProperties& properties, int device) {
  int migrates = 0;
  if (hipDeviceGetAttribute(&migrates, hipDeviceAttributeConcurrentManagedAccess, device) != hipSuccess) {
    static_cast<void>(hipGetLastError());
  }
  const std::string_view architecture(properties.gcnArchName);
  const bool off = migrates == 0 || architecture.find("xnack-") != std::string_view::npos;
  return std::string(architecture) + ", XNACK " +
         (off ? "off (managed memory stays on the host; HSA_XNACK=1 lets it migrate, where the device can)"
              : "on (managed memory migrates)");
}

}  // namespace ferry::inline v0::backend::gpu
