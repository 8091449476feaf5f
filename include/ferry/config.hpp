// Version, export and function annotations. The only Ferry header that asks which compiler reads it.
#pragma once

#include <cstddef>
#include <cstdint>

#define FERRY_VERSION_MAJOR 0
#define FERRY_VERSION_MINOR 1
#define FERRY_VERSION_PATCH 0
/// major * 10000 + minor * 100 + patch, for comparisons in the preprocessor.
#define FERRY_VERSION (FERRY_VERSION_MAJOR * 10000 + FERRY_VERSION_MINOR * 100 + FERRY_VERSION_PATCH)

/// FERRY_EXPORT marks what a shared Ferry shows to its users, who get FERRY_SHARED from CMake or pkg-config. A static one
/// shows nothing: a shared object that contains it keeps its copy to itself.
#if defined(FERRY_SHARED)
#define FERRY_EXPORT __attribute__((visibility("default")))
#else
#define FERRY_EXPORT
#endif

/// FERRY_FUNCTION marks a function that both the host and a device kernel may call. In a plain C++ file it means
/// nothing. FERRY_DEVICE_CODE is 1 in a file that a device compiler reads, and FERRY_GPU_CALL(name) is there the
/// vendor's runtime call of that name.
#if defined(__CUDACC__)
#define FERRY_FUNCTION __host__ __device__
#define FERRY_DEVICE_CODE 1
#define FERRY_GPU_CALL(name) ::cuda##name
#elif defined(__HIPCC__)
#include <hip/hip_runtime.h>  // nvcc includes its own unasked
#define FERRY_FUNCTION __host__ __device__
#define FERRY_DEVICE_CODE 1
#define FERRY_GPU_CALL(name) ::hip##name
#else
#define FERRY_FUNCTION
#define FERRY_DEVICE_CODE 0
#endif

/// 1 where DeviceView checks its indices. Host arrays always check theirs; inside kernels the check costs
/// registers, so it is left to debug builds unless the user says otherwise.
#if !defined(FERRY_BOUNDS_CHECK)
#if defined(NDEBUG)
#define FERRY_BOUNDS_CHECK 0
#else
#define FERRY_BOUNDS_CHECK 1
#endif
#endif

// The inline namespace changes with every incompatible release, so that two versions can live in one process.
namespace ferry::inline v0 {

/// Extents, indices, strides and byte counts. Signed, because strides are, and mixing signs breeds wrap-around.
using index_t = std::int64_t;

/// Memory order of an array, with NumPy's letters: C (last axis fastest), F (first axis fastest), A (F if the
/// array is F- but not C-contiguous, else C), K (as close to the source's order as a dense array can be).
enum class Order : unsigned char { C, F, A, K };

/// Whether an operation may copy: never (a LayoutError when it would have to), only when a view cannot express
/// the result (NumPy's rule), or always.
enum class Copy : unsigned char { never, if_needed, always };

}  // namespace ferry::inline v0
