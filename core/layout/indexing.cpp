#include <algorithm>

#include "core/layout/access.hpp"
#include "ferry/error.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0::layouts {

namespace {

// Python's slice.indices: the first index, and how many follow at `step`.
struct Run {
  index_t first, count, step;
};

[[noreturn]] void throw_step_zero(const Layout& layout) {
  throw IndexError("ferry: index: a slice with step 0 for an array of " + layout.to_string());
}

Run resolve_slice(const Layout& layout, const Slice& slice, index_t extent) {
  const index_t step = slice.step.given ? slice.step.value : 1;
  if (step == 0) throw_step_zero(layout);
  const bool forward = step > 0;
  const index_t lowest = forward ? 0 : -1, highest = forward ? extent : extent - 1;
  const auto clamp = [&](const Bound& bound, index_t otherwise) {
    if (!bound.given) return otherwise;
    const index_t from_front = bound.value < 0 ? bound.value + extent : bound.value;
    return std::clamp(from_front, lowest, highest);
  };
  const index_t start = clamp(slice.start, forward ? 0 : extent - 1);
  const index_t stop = clamp(slice.stop, forward ? extent : -1);
  // Distances and steps as unsigned magnitudes: a step of -2^63 has no positive counterpart.
  if (forward ? start >= stop : stop >= start) return {start, 0, step};
  const auto distance = static_cast<std::uint64_t>(forward ? stop - start : start - stop);
  const std::uint64_t magnitude = forward ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  return {start, static_cast<index_t>((distance - 1) / magnitude + 1), step};
}

[[noreturn]] void throw_out_of_range(const Layout& layout, index_t i, std::size_t axis) {
  throw IndexError("ferry: index " + std::to_string(i) + " is out of range for axis " + std::to_string(axis) +
                   " of an array of " + layout.to_string());
}

}  // namespace

Layout index(const Layout& layout, const IndexEntry* entries, std::size_t count) {
  using Kind = IndexEntry::Kind;
  std::size_t consumed = 0, produced = 0, rests = 0;
  for (std::size_t i = 0; i < count; ++i) {
    consumed += entries[i].kind == Kind::integer || entries[i].kind == Kind::slice ? 1 : 0;
    produced += entries[i].kind == Kind::slice || entries[i].kind == Kind::new_axis ? 1 : 0;
    rests += entries[i].kind == Kind::rest ? 1 : 0;
  }
  if (rests > 1) throw IndexError("ferry: index: more than one ellipsis");
  if (consumed > layout.ndim()) {
    throw IndexError("ferry: index: " + std::to_string(consumed) + " entries for an array of " + layout.to_string());
  }
  const std::size_t untouched = layout.ndim() - consumed;

  Shape shape = Shape::uninitialised(produced + untouched);
  Strides strides = Strides::uninitialised(produced + untouched);
  const index_t *old_shape = layout.shape().data(), *old_strides = layout.strides().data();
  index_t *new_shape = shape.data(), *new_strides = strides.data();
  index_t offset = layout.offset(), size = 1;
  // No element uses the strides of an empty array: they may be anything, and must not enter the arithmetic.
  const bool empty = layout.empty();
  std::size_t axis = 0, out = 0;
  const auto put = [&](index_t extent, index_t stride) {
    new_shape[out] = extent;
    new_strides[out++] = stride;
    size *= extent;
  };
  const auto pass_through = [&](std::size_t n) {
    for (; n > 0; --n, ++axis) put(old_shape[axis], old_strides[axis]);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const IndexEntry& entry = entries[i];
    if (entry.kind == Kind::integer) {
      const index_t wanted = entry.bounds.start.value, extent = old_shape[axis];
      const index_t position = wanted < 0 ? wanted + extent : wanted;
      if (position < 0 || position >= extent) throw_out_of_range(layout, wanted, axis);
      if (!empty) offset += position * old_strides[axis];
      ++axis;
    } else if (entry.kind == Kind::slice) {
      const Run run = resolve_slice(layout, entry.bounds, old_shape[axis]);
      // An empty run has no first element, and a run of one no step: neither may enter the arithmetic, since a stride
      // that no element uses could overflow it.
      if (run.count > 0 && !empty) offset += run.first * old_strides[axis];
      put(run.count, run.count > 1 && !empty ? old_strides[axis] * run.step : old_strides[axis]);
      ++axis;
    } else if (entry.kind == Kind::new_axis) {
      put(1, 0);
    } else {
      pass_through(untouched);
    }
  }
  if (rests == 0) pass_through(untouched);
  return LayoutAccess::make(std::move(shape), std::move(strides), layout.itemsize(), offset, size);
}

}  // namespace ferry::inline v0::layouts
