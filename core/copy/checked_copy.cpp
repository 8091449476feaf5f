#include "core/copy/checked_copy.hpp"

#include <optional>
#include <string>

#include "ferry/error.hpp"

namespace ferry::inline v0::copying {

using detail::ArrayHandle;
using detail::DeviceState;
using detail::Match;

namespace {

std::string describe(const DType& dtype, const Layout& layout) {
  return dtype.name() + " array of " + layout.to_string();
}

[[noreturn]] void throw_shape_mismatch(const char* call, const DType& dtype, const Layout& to, const Layout& from,
                                       const char* rule) {
  throw ShapeError("ferry: " + std::string(call) + ": the source, a " + describe(dtype, from) + ", " + rule +
                   " the destination, a " + describe(dtype, to));
}

// The source under the destination's shape: axes of length 1 do not count.
Layout match_equal(const char* call, const DType& dtype, const Layout& to, const Layout& from) {
  if (to.shape() == from.shape()) return from;
  const Layout a = layouts::squeeze(to), b = layouts::squeeze(from);
  if (!(a.shape() == b.shape())) throw_shape_mismatch(call, dtype, to, from, "does not have the shape of");
  Strides strides = Strides::filled(to.ndim(), 0);
  for (std::size_t axis = 0, next = 0; axis < to.ndim(); ++axis) {
    if (to.shape()[axis] != 1) strides[axis] = b.strides()[next++];
  }
  return Layout::strided(to.shape(), strides, from.itemsize(), from.offset());
}

Layout match_broadcast(const char* call, const DType& dtype, const Layout& to, const Layout& from) {
  // Leading axes of length 1 that the destination lacks are dropped, as NumPy does in an assignment.
  Layout source = from;
  while (source.ndim() > to.ndim() && source.shape().front() == 1) source = layouts::squeeze(source, {0});
  try {
    return layouts::broadcast_to(source, to.shape());
  } catch (const ShapeError&) {
    throw_shape_mismatch(call, dtype, to, from, "does not broadcast to");
  }
}

}  // namespace

Layout match_source(const char* call, const DType& dtype, const Layout& to, const Layout& from, Match match) {
  return match == Match::equal ? match_equal(call, dtype, to, from) : match_broadcast(call, dtype, to, from);
}

void refuse_aliasing(const char* call, const DType& dtype, const Layout& to) {
  const layouts::Overlap aliasing = layouts::self_overlap(to);
  if (aliasing == layouts::Overlap::no) return;
  throw LayoutError("ferry: " + std::string(call) + ": elements of the destination, a " + describe(dtype, to) +
                    (aliasing == layouts::Overlap::yes ? ", share memory with each other"
                                                       : ", could not be shown not to share memory with each other") +
                    "; write into a copy() instead");
}

namespace {

// The device that does the work: that of a side which the host cannot reach, else that of a page-locked side, whose
// streams may still be using it, else the host.
DeviceState& working_device(const Place& to, const Place& from, const Stream& named) {
  if (!to.on_host) return *to.device;
  if (!from.on_host) return *from.device;
  if (named) return named.device().state();
  return to.device->space().capabilities().asynchronous ? *to.device : *from.device;
}

}  // namespace

CheckedCopy::CheckedCopy(const char* call, const ArrayHandle& to, const DType& to_dtype, const ArrayHandle& from,
                         const DType& from_dtype, Match match, const Stream& named, const Stream& bound) {
  if (!(to_dtype == from_dtype)) detail::throw_dtype_mismatch(call, to_dtype, from_dtype);
  source_ = ArrayHandle(from, match_source(call, to_dtype, to.layout, from.layout, match));
  refuse_aliasing(call, to_dtype, to.layout);
  to_ = {&to, place_of(to)};
  from_ = {&source_, place_of(from)};
  stream_ = stream_for(call, working_device(to_.place, from_.place, named), named, bound);
}

bool CheckedCopy::may_overlap() const {
  const std::optional<index_t> between = distance(*to_.array, source_);
  if (!between) return false;
  // Both layouts must count from one base.
  const Layout source = source_.layout.with_offset(source_.layout.offset() + *between);
  return layouts::overlap(to_.array->layout, source) != layouts::Overlap::no;
}

bool CheckedCopy::is_same_place() const {
  const std::optional<index_t> between = distance(*to_.array, source_);
  return between && to_.array->layout.same_elements(source_.layout.with_offset(source_.layout.offset() + *between));
}

}  // namespace ferry::inline v0::copying
