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
template <class F, std::size_t... Axis>
constexpr bool callable_with(std::index_sequence<Axis...>) {
  return std::is_invocable_v<const F&, decltype(static_cast<void>(Axis), index_t{})...>;
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

/// @throws ShapeError unless `shape` has `arity` extents, none of them negative; AccessError when the device cannot run
/// host code, saying what to do
FERRY_EXPORT void check_loop(const Stream& stream, const Shape& shape, std::size_t arity);
}  // namespace detail

/// Calls f(i, j, …) for every index of `shape`, in no promised order, as a kernel of the stream's device: queued, and
/// not complete on return unless the device is synchronous. `f` takes as many index_t as `shape` has extents, is
/// copied, and reaches arrays through their device_view; capture by value.
/// @throws ShapeError when the counts differ; AccessError on a GPU when the file was not compiled as device code
template <class F>
void for_each_index(const Stream& stream, const Shape& shape, F f) {
  constexpr std::size_t arity = detail::index_arity<F>();
  detail::check_loop(stream, shape, arity);
  const backend::CallScope scope("for_each_index");
  stream.device().space().run(Task([shape, f = std::move(f)] { detail::loop_over<arity>(shape.data(), f); }),
                              stream.native());
}

/// On the device's legacy default stream; complete on return.
template <class F>
void for_each_index(const Device& device, const Shape& shape, F f) {
  const Stream stream = resolve(device).default_stream();
  for_each_index(stream, shape, std::move(f));
  stream.synchronize();
}

}  // namespace ferry::inline v0
