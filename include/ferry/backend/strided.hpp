// The device side of the copy engine: what a backend is asked to move, and the host routines that do it on a CPU.
#pragma once

#include "ferry/config.hpp"
#include "ferry/dims.hpp"
#include "ferry/dtype.hpp"

namespace ferry::inline v0::backend {

/// Axes of an element-wise operation, as the planner leaves them: no unit axes, merged as far as possible, the axis
/// with the destination's smallest stride last, destination strides positive. At most Dims::max_rank axes; rank 0 is
/// one element. Strides in bytes.
struct StridedCopy {
  std::byte* to = nullptr;          ///< first destination element
  const std::byte* from = nullptr;  ///< first source element
  index_t itemsize = 1;             ///< bytes moved per element: dense runs are merged into it
  Dims extents;
  Dims to_strides;
  Dims from_strides;  ///< any sign; 0 repeats
};

/// Writes `pattern` to every element. No axis of the destination has stride 0.
struct StridedFill {
  std::byte* to = nullptr;
  index_t itemsize = 1;
  Dims extents;
  Dims to_strides;
  const std::byte* pattern = nullptr;  ///< itemsize bytes of host memory, read before the call returns
};

/// Element-wise conversion between two native scalar types.
struct StridedConvert {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  DType to_dtype;
  DType from_dtype;
  Dims extents;
  Dims to_strides;
  Dims from_strides;
};

/// The operations on memory that the calling thread can touch. A backend that runs on the CPU calls these from its
/// kernels; they are also the packing half of staged transfers. Synchronous, single-threaded, no allocation.
FERRY_EXPORT void host_copy(const StridedCopy& copy) noexcept;
FERRY_EXPORT void host_fill(const StridedFill& fill) noexcept;
/// @throws DTypeError for a pair of types that astype does not convert
FERRY_EXPORT void host_convert(const StridedConvert& convert);
/// Whether host_convert knows the pair. Checked before any work is queued.
FERRY_EXPORT bool is_convertible(const DType& to, const DType& from) noexcept;

}  // namespace ferry::inline v0::backend
