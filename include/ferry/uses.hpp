// What a kernel reads and writes, where the program says so.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "ferry/backend/call_scope.hpp"
#include "ferry/config.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/for_each_index.hpp"
#include "ferry/stream.hpp"

namespace ferry::inline v0 {

/// Arrays that a kernel reads; made by reads(), for the length of one call.
template <std::size_t N>
struct Reads {
  std::array<const detail::ArrayHandle*, N> arrays;
};
/// Arrays that a kernel writes, and may read.
template <std::size_t N>
struct Writes {
  std::array<const detail::ArrayHandle*, N> arrays;
};

/// reads(a, b(slice(), 3)): all of a, and one column of b. Views count element by element.
template <class... Array>
Reads<sizeof...(Array)> reads(const Array&... arrays) {
  return {{&arrays.handle()...}};
}
template <class... Array>
Writes<sizeof...(Array)> writes(const Array&... arrays) {
  return {{&arrays.handle()...}};
}

namespace detail {
/// Ferry knows from now on that the stream uses the arrays, as used_on() tells it.
FERRY_EXPORT void note_uses(const Stream& stream, const ArrayHandle* const* arrays, std::size_t count);
FERRY_EXPORT void run_declared(const Stream& stream, Task task, const ArrayHandle* const* reads, std::size_t read_count,
                               const ArrayHandle* const* writes, std::size_t write_count);
}  // namespace detail

/// As launch(stream, f), with everything declared that f touches: the arrays are not freed before it is done, and a
/// simulated device checks it against all other work, element by element.
template <std::size_t R, std::size_t W, class F>
void launch(const Stream& stream, const Reads<R>& read, const Writes<W>& written, F&& f) {
  const backend::CallScope scope("launch");
  if (stream.device().space().capabilities().runs_tasks) {
    detail::run_declared(stream, Task(std::forward<F>(f)), read.arrays.data(), R, written.arrays.data(), W);
  } else {
    detail::note_uses(stream, read.arrays.data(), R);
    detail::note_uses(stream, written.arrays.data(), W);
    launch(stream, std::forward<F>(f));
  }
}

/// As for_each_index(stream, shape, f), with everything declared that f touches.
template <std::size_t R, std::size_t W, class F, bool DeviceCode = (FERRY_DEVICE_CODE != 0)>
void for_each_index(const Stream& stream, const Shape& shape, const Reads<R>& read, const Writes<W>& written, F f) {
  const backend::CallScope scope("for_each_index");
  if (stream.device().space().capabilities().runs_tasks) {
    constexpr std::size_t arity = detail::index_arity<F>();
    detail::check_loop(stream, shape, arity, DeviceCode);
    detail::run_declared(stream, Task([shape, f = std::move(f)] { detail::loop_over<arity>(shape.data(), f); }),
                         read.arrays.data(), R, written.arrays.data(), W);
  } else {
    detail::note_uses(stream, read.arrays.data(), R);
    detail::note_uses(stream, written.arrays.data(), W);
    for_each_index<F, DeviceCode>(stream, shape, std::move(f));
  }
}

}  // namespace ferry::inline v0
