#include "core/layout/access.hpp"
#include "ferry/error.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0::layouts {

namespace {

// Marks each named axis once.
std::uint64_t axis_set(const char* call, const Layout& layout, const Axes& axes) {
  std::uint64_t seen = 0;
  for (const index_t axis : axes) {
    const std::uint64_t bit = std::uint64_t{1} << normalise_axis(call, layout, axis);
    if ((seen & bit) != 0) {
      throw ShapeError("ferry: " + std::string(call) + ": axis " + std::to_string(axis) + " is given twice in " +
                       axes.to_string());
    }
    seen |= bit;
  }
  return seen;
}

Layout drop_axes(const Layout& layout, std::uint64_t dropped) {
  const auto kept = layout.ndim() - static_cast<std::size_t>(__builtin_popcountll(dropped));
  Shape shape = Shape::uninitialised(kept);
  Strides strides = Strides::uninitialised(kept);
  for (std::size_t axis = 0, out = 0; axis < layout.ndim(); ++axis) {
    if ((dropped >> axis & 1) != 0) continue;
    shape[out] = layout.shape()[axis];
    strides[out++] = layout.strides()[axis];
  }
  return LayoutAccess::make(std::move(shape), std::move(strides), layout.itemsize(), layout.offset(), layout.size());
}

}  // namespace

Layout permute(const Layout& layout, const Axes& axes) {
  if (axes.size() != layout.ndim()) {
    throw ShapeError("ferry: permute: axes " + axes.to_string() + " do not name each axis of an array of " +
                     layout.to_string());
  }
  axis_set("permute", layout, axes);
  Shape shape = Shape::uninitialised(axes.size());
  Strides strides = Strides::uninitialised(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = normalise_axis("permute", layout, axes[i]);
    shape[i] = layout.shape()[axis];
    strides[i] = layout.strides()[axis];
  }
  return LayoutAccess::make(std::move(shape), std::move(strides), layout.itemsize(), layout.offset(), layout.size());
}

Layout transpose(const Layout& layout) {
  const std::size_t rank = layout.ndim();
  Shape shape = Shape::uninitialised(rank);
  Strides strides = Strides::uninitialised(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    shape[i] = layout.shape()[rank - 1 - i];
    strides[i] = layout.strides()[rank - 1 - i];
  }
  return LayoutAccess::make(std::move(shape), std::move(strides), layout.itemsize(), layout.offset(), layout.size());
}

Layout squeeze(const Layout& layout) {
  std::uint64_t units = 0;
  for (std::size_t axis = 0; axis < layout.ndim(); ++axis) {
    if (layout.shape()[axis] == 1) units |= std::uint64_t{1} << axis;
  }
  return drop_axes(layout, units);
}

Layout squeeze(const Layout& layout, const Axes& axes) {
  const std::uint64_t named = axis_set("squeeze", layout, axes);
  for (std::size_t axis = 0; axis < layout.ndim(); ++axis) {
    if ((named >> axis & 1) != 0 && layout.shape()[axis] != 1) {
      throw ShapeError("ferry: squeeze: axis " + std::to_string(axis) + " has length " +
                       std::to_string(layout.shape()[axis]) + ", not 1, in an array of " + layout.to_string());
    }
  }
  return drop_axes(layout, named);
}

Layout flip(const Layout& layout, index_t axis) {
  const std::size_t a = normalise_axis("flip", layout, axis);
  const index_t extent = layout.shape()[a];
  if (extent < 2 || layout.empty()) return layout;  // the stride is used by no element and may be anything
  Strides strides = layout.strides();
  const index_t stride = strides[a];
  strides[a] = -stride;
  return LayoutAccess::make(layout.shape(), std::move(strides), layout.itemsize(),
                            layout.offset() + (extent - 1) * stride, layout.size());
}

Layout broadcast_to(const Layout& layout, const Shape& shape) {
  const auto fail = [&]() {
    throw ShapeError("ferry: broadcast_to: an array of " + layout.to_string() + " does not broadcast to " +
                     shape.to_string());
  };
  if (shape.size() < layout.ndim()) fail();
  const std::size_t leading = shape.size() - layout.ndim();
  Strides strides = Strides::uninitialised(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis < leading) {
      strides[axis] = 0;
      continue;
    }
    const index_t extent = layout.shape()[axis - leading];
    if (extent != shape[axis] && extent != 1) fail();
    strides[axis] = extent == shape[axis] ? layout.strides()[axis - leading] : 0;
  }
  return Layout::strided(shape, strides, layout.itemsize(), layout.offset());
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  const std::size_t leading = longer.size() - shorter.size();
  Shape shape = longer;
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    index_t& extent = shape[leading + axis];
    if (extent == 1) extent = shorter[axis];
    if (shorter[axis] != extent && shorter[axis] != 1) {
      throw ShapeError("ferry: shapes " + a.to_string() + " and " + b.to_string() + " do not broadcast to each other");
    }
  }
  return shape;
}

}  // namespace ferry::inline v0::layouts
