// Read before the suites' loops (tests/support/*loops.cpp): what would be kernels, for hipcc, runs as host code of the
// simulated device under the adapter, in stream order.
#pragma once

#include <ferry/ferry.hpp>
#include <utility>

#include "hip_adapter/run_as_kernel.hpp"

namespace ferry::hip_adapter {

template <class F>
void loop(const Stream& stream, const Shape& shape, F f) {
  constexpr std::size_t arity = detail::index_arity<F>();
  if (detail::check_loop(stream, shape, arity, true)) return for_each_index(stream, shape, std::move(f));
  const detail::CurrentDevice current(stream.device().space());
  run_as_kernel(Task([shape, f = std::move(f)] { detail::loop_over<arity>(shape.data(), f); }), stream.native());
}
template <class F>
void loop(const Device& device, const Shape& shape, F f) {
  const Stream stream = device.default_stream();
  loop(stream, shape, std::move(f));
  stream.synchronize();
}

}  // namespace ferry::hip_adapter

#define for_each_index ::ferry::hip_adapter::loop
