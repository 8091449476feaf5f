// astype on the device.
#include <cstring>
#include <utility>

#include "backends/gpu/kernels.hpp"
#include "backends/gpu/launch.cuh"
#include "backends/gpu/walk.cuh"
#include "ferry/backend/convert.hpp"

namespace ferry::inline v0::backend::gpu {

namespace {

// Elements of arrays may lie at any address, and a GPU faults on a misaligned load: then they go byte by byte.
template <class T, bool Aligned>
__device__ T load(const std::byte* from) {
  if constexpr (Aligned) {
    return *reinterpret_cast<const T*>(from);
  } else {
    T value;
    memcpy(static_cast<void*>(&value), from, sizeof value);
    return value;
  }
}
template <class T, bool Aligned>
__device__ void store(std::byte* to, const T& value) {
  if constexpr (Aligned) {
    *reinterpret_cast<T*>(to) = value;
  } else {
    memcpy(to, static_cast<const void*>(&value), sizeof value);
  }
}

// One kernel for each source type. The target's type is a number that all threads share, so that the switch costs a
// uniform branch, and the number of kernels stays that of the types, not their square.
template <class From, bool Aligned, std::size_t... To>
__device__ void convert_to(int to_type, std::byte* to, const From& value, std::index_sequence<To...>) {
  static_cast<void>(
      ((to_type == static_cast<int>(To) && (store<std::tuple_element_t<To, ScalarTypes>, Aligned>(
                                                to, convert_value<std::tuple_element_t<To, ScalarTypes>>(value)),
                                            true)) ||
       ...));
}

template <class From, bool Aligned, class Walk>
__global__ void convert_elements(int to_type, std::byte* to, const std::byte* from, const Walk walk,
                                 const typename Walk::Number elements) {
  const auto step = static_cast<typename Walk::Number>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<typename Walk::Number>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    index_t t, f;
    walk.locate(i, t, f);
    convert_to<From, Aligned>(to_type, to + t, load<From, Aligned>(from + f),
                              std::make_index_sequence<gpu_scalar_type_count>{});
  }
}

template <class From>
FERRY_GPU(Error_t)
launch_from(const StridedConvert& convert, int to_type, bool aligned, std::uint64_t elements, int multiprocessors,
            FERRY_GPU(Stream_t) stream) {
  return with_walk(
      convert.extents, convert.to_strides, convert.from_strides, 1, 0, elements, [&](const auto& walk, auto number) {
        using Walk = std::decay_t<decltype(walk)>;
        return launch_kernel(aligned ? convert_elements<From, true, Walk> : convert_elements<From, false, Walk>,
                             blocks_for(elements, multiprocessors), threads_per_block, stream, to_type, convert.to,
                             convert.from, walk, number);
      });
}

using Launcher = FERRY_GPU(Error_t) (*)(const StridedConvert&, int, bool, std::uint64_t, int, FERRY_GPU(Stream_t));

template <std::size_t... From>
Launcher launcher_for(int from_type, std::index_sequence<From...>) {
  constexpr Launcher launchers[] = {launch_from<std::tuple_element_t<From, ScalarTypes>>...};
  return launchers[from_type];
}

// Complex numbers need the alignment of their parts only, but taking twice that as needed costs nothing but speed.
bool is_aligned(const void* first, const Dims& strides, index_t itemsize) {
  auto bits = reinterpret_cast<std::uintptr_t>(first);
  for (const index_t stride : strides) bits |= static_cast<std::uintptr_t>(stride);
  return bits % static_cast<std::uintptr_t>(itemsize) == 0;
}

}  // namespace

FERRY_GPU(Error_t)
launch_convert(const StridedConvert& convert, int to, int from, int multiprocessors, FERRY_GPU(Stream_t) stream) {
  const std::uint64_t elements = count(convert.extents);
  if (elements == 0) return FERRY_GPU(Success);
  const bool aligned = is_aligned(convert.to, convert.to_strides, convert.to_dtype.itemsize()) &&
                       is_aligned(convert.from, convert.from_strides, convert.from_dtype.itemsize());
  return launcher_for(from, std::make_index_sequence<gpu_scalar_type_count>{})(convert, to, aligned, elements,
                                                                               multiprocessors, stream);
}

}  // namespace ferry::inline v0::backend::gpu
