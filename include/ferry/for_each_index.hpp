// for_each_index: a loop over all indices of a shape, on a device.
#pragma once

#include <type_traits>
#include <utility>

#include "ferry/backend/call_scope.hpp"
#include "ferry/config.hpp"
#include "ferry/dims.hpp"
#include "ferry/error.hpp"
#include "ferry/stream.hpp"

namespace ferry::inline v0 {

namespace detail {
// A type for each axis that names the axis: nvcc loses a pack from patterns that do not.
template <std::size_t>
struct index_of_axis {
  using type = index_t;
};
template <class F, std::size_t... Axis>
constexpr bool callable_with(std::index_sequence<Axis...>) {
  return std::is_invocable_v<const F&, typename index_of_axis<Axis>::type...>;
}
template <class F, std::size_t Rank = 0>
constexpr std::size_t index_arity() {
  static_assert(Rank <= Dims::inline_rank, "ferry: for_each_index needs a callable that takes up to 8 index_t");
  if constexpr (callable_with<F>(std::make_index_sequence<Rank>{})) {
    return Rank;
  } else {
    return index_arity<F, Rank + 1>();
  }
}

// C order: the last index runs fastest.
template <std::size_t Rank, class F, class... I>
void loop_over(const index_t* extents, const F& f, I... index) {
  if constexpr (sizeof...(I) == Rank) {
    f(index...);
  } else {
    for (index_t i = 0; i < extents[sizeof...(I)]; ++i) loop_over<Rank>(extents, f, index..., i);
  }
}

/// Checks the call and says whether the loop is to run as host code.
/// @throws ShapeError unless `shape` has `arity` extents, none of them negative; AccessError when the device cannot run
/// host code and the caller is no device code, saying what to do
FERRY_EXPORT bool check_loop(const Stream& stream, const Shape& shape, std::size_t arity, bool device_code);

/// @throws DeviceError, naming the launch
[[noreturn]] FERRY_EXPORT void throw_launch_error(const Stream& stream, int code, const char* name);

#if FERRY_DEVICE_CODE
// A file may be compiled so that null means the thread's own default stream. Ferry's null is the legacy one, always.
#if defined(__HIPCC__) && !defined(__CUDACC__)
extern "C" hipError_t ferry_launch_kernel(const void* kernel, dim3 grid, dim3 block, void** parameters,
                                          std::size_t shared_bytes, hipStream_t stream) __asm__("hipLaunchKernel");
#else
inline cudaError_t ferry_launch_kernel(const void* kernel, dim3 grid, dim3 block, void** parameters,
                                       std::size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, parameters, shared_bytes, stream != nullptr ? stream : cudaStreamLegacy);
}
#endif

template <std::size_t Rank>
struct LoopExtents {
  index_t extents[Rank > 0 ? Rank : 1];
};

template <std::size_t Rank, class F, std::size_t... Axis>
__device__ void call_at(const LoopExtents<Rank>& shape, index_t number, const F& f, std::index_sequence<Axis...>) {
  [[maybe_unused]] index_t index[Rank + 1] = {};
#pragma unroll
  for (int axis = static_cast<int>(Rank) - 1; axis > 0; --axis) {
    index[axis] = number % shape.extents[axis];
    number /= shape.extents[axis];
  }
  index[0] = number;
  f(index[Axis]...);
}

template <std::size_t Rank, class F>
__global__ void loop_kernel(LoopExtents<Rank> shape, index_t size, F f) {
  const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step) {
    call_at(shape, i, f, std::make_index_sequence<Rank>{});
  }
}

template <std::size_t Rank, class F>
void launch_loop(const Stream& stream, const Shape& shape, F& f) {
  LoopExtents<Rank> extents{};
  index_t size = 1;
  if constexpr (Rank > 0) {
    for (std::size_t axis = 0; axis < Rank; ++axis) size *= extents.extents[axis] = shape[axis];
  }
  if (size == 0) return;
  constexpr unsigned threads = 256;
  constexpr index_t most_blocks = 1 << 16;  // threads walk on from there
  const index_t blocks = (size + threads - 1) / threads;
  const dim3 grid(static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks)), block(threads);
  void* parameters[] = {&extents, &size, &f};
  const CurrentDevice current(stream.device().space());
  const auto status = ferry_launch_kernel(reinterpret_cast<const void*>(&loop_kernel<Rank, F>), grid, block, parameters,
                                          0, static_cast<FERRY_GPU_CALL(Stream_t)>(stream.native()));
  if (status != FERRY_GPU_CALL(Success)) {
    static_cast<void>(FERRY_GPU_CALL(GetLastError)());
    throw_launch_error(stream, static_cast<int>(status), FERRY_GPU_CALL(GetErrorName)(status));
  }
}
#endif
}  // namespace detail

/// Calls f(i, j, …) for every index of `shape`, in no promised order, as a kernel of the stream's device: queued, and
/// not complete on return unless the device is synchronous. `f` takes as many index_t as `shape` has extents, is
/// copied, and reaches arrays through their device_view; capture by value.
///
/// In a file that a device compiler reads (.cu, .hip) the loop is a kernel on a GPU, and `f` a function object that
/// both sides can call: [=] FERRY_FUNCTION (index_t i) { … }. Elsewhere it runs on devices that run host code.
/// @throws ShapeError when the counts differ; AccessError on a GPU when the file was not compiled as device code
template <class F, bool DeviceCode = (FERRY_DEVICE_CODE != 0)>
void for_each_index(const Stream& stream, const Shape& shape, F f) {
  constexpr std::size_t arity = detail::index_arity<F>();
  const backend::CallScope scope("for_each_index");
  if (detail::check_loop(stream, shape, arity, DeviceCode)) {
    stream.device().space().run(Task([shape, f = std::move(f)] { detail::loop_over<arity>(shape.data(), f); }),
                                stream.native());
  } else {
#if FERRY_DEVICE_CODE
    detail::launch_loop<arity>(stream, shape, f);
#endif
  }
}

/// On the device's legacy default stream; complete on return.
template <class F, bool DeviceCode = (FERRY_DEVICE_CODE != 0)>
void for_each_index(const Device& device, const Shape& shape, F f) {
  const Stream stream = resolve(device).default_stream();
  for_each_index<F, DeviceCode>(stream, shape, std::move(f));
  stream.synchronize();
}

}  // namespace ferry::inline v0
