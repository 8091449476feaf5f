// Which of Ferry's memories is which of Kokkos' memory spaces.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/error.hpp"
#include "ferry/nd_array.hpp"

namespace ferry::inline v0::kokkos::impl {

#if defined(KOKKOS_ENABLE_CUDA)
#define FERRY_KOKKOS_GPU 1
inline constexpr std::string_view gpu_backend = "cuda";
using GpuSpace = Kokkos::CudaSpace;
using GpuManagedSpace = Kokkos::CudaUVMSpace;
using GpuPinnedSpace = Kokkos::CudaHostPinnedSpace;
using Gpu = Kokkos::Cuda;
inline auto native_stream(const Gpu& gpu) {
  return gpu.cuda_stream();
}
inline int device_number(const Gpu& gpu) {
  return gpu.cuda_device();
}
#elif defined(KOKKOS_ENABLE_HIP)
#define FERRY_KOKKOS_GPU 1
inline constexpr std::string_view gpu_backend = "hip";
#if KOKKOS_VERSION < 40000
namespace hip_spaces = Kokkos::Experimental;
#else
namespace hip_spaces = Kokkos;
#endif
using GpuSpace = hip_spaces::HIPSpace;
using GpuManagedSpace = hip_spaces::HIPManagedSpace;
using GpuPinnedSpace = hip_spaces::HIPHostPinnedSpace;
using Gpu = hip_spaces::HIP;
inline auto native_stream(const Gpu& gpu) {
  return gpu.hip_stream();
}
inline int device_number(const Gpu& gpu) {
  return gpu.hip_device();
}
#else
#define FERRY_KOKKOS_GPU 0
// Types that nothing else is, so that what is written for GPUs needs no second preprocessor condition.
inline constexpr std::string_view gpu_backend = "";
struct GpuSpace {};
struct GpuManagedSpace {};
struct GpuPinnedSpace {};
struct Gpu {};
backend::NativeStream native_stream(const Gpu&);
int device_number(const Gpu&);
#endif

/// Where the elements of a Kokkos memory space are, in Ferry's words. All spaces that are no GPU's are host memory.
template <class Space>
inline constexpr MemoryKind kind_of_space = std::is_same_v<Space, GpuSpace>          ? MemoryKind::device
                                            : std::is_same_v<Space, GpuManagedSpace> ? MemoryKind::managed
                                            : std::is_same_v<Space, GpuPinnedSpace>  ? MemoryKind::mapped
                                                                                     : MemoryKind::pageable;

/// The space of the View of an array when the program names none: where kernels of the default execution space reach
/// the array. Shared spaces are paired with that execution space, since the host's is their default.
template <class Array>
struct DefaultSpace {
  using type = Kokkos::HostSpace;
};
#if FERRY_KOKKOS_GPU
template <class T>
struct DefaultSpace<NDArray<T>> {
  using type = Kokkos::Device<Gpu, GpuSpace>;
};
template <class T>
struct DefaultSpace<MappedArray<T>> {
  using type = Kokkos::Device<Gpu, GpuPinnedSpace>;
};
template <class T>
struct DefaultSpace<ManagedArray<T>> {
  using type = Kokkos::Device<Gpu, GpuManagedSpace>;
};
#endif

/// @throws AccessError unless memory of the array is memory of a space of that kind. Of a simulated device's memory
/// there are host Views, whose elements exist inside launch() only.
inline void require_space(const char* call, const ferry::detail::ArrayHandle& array, MemoryKind space_kind,
                          const char* space_name) {
  const Device device = ferry::detail::device_of(array);
  const MemoryKind kind = ferry::detail::kind_of(array);
  const bool is_gpu = !gpu_backend.empty() && device.space().backend_name() == gpu_backend;
  const bool by_device = array.face != ferry::detail::Face::host;
  bool fits = false;
  switch (space_kind) {
    case MemoryKind::device:
      fits = is_gpu && by_device;
      break;
    case MemoryKind::managed:
      fits = is_gpu && kind == MemoryKind::managed;
      break;
    case MemoryKind::mapped:
      fits = is_gpu && (kind == MemoryKind::mapped || kind == MemoryKind::pinned);
      break;
    default:
      fits = !by_device || device.space().capabilities().runs_tasks;
  }
  if (fits) return;
  throw AccessError("ferry: " + std::string(call) + ": an array of " + array.layout.to_string() + " in " +
                    std::string(to_string(kind)) + " memory of " + device.name() +
                    (by_device ? ", as kernels see it," : ", as the host sees it,") + " is not in Kokkos' " +
                    space_name +
                    "; name the memory space that it is in, or copy it with to_device, copy_to_host or deep_copy");
}

}  // namespace ferry::inline v0::kokkos::impl
