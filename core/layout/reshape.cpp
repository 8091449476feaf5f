#include "core/layout/access.hpp"
#include "core/layout/axis_order.hpp"
#include "ferry/error.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0::layouts {

namespace {

// The stride of one more axis may lie beyond 2^63 when no element is left for it to reach. It wraps around then, and
// the wrapped value equals no stride of another axis: that axis would span more than a sound layout can.
index_t wrapping_product(index_t a, index_t b) {
  return static_cast<index_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// Axes without those of length 1, fastest first; in C order the last axis is the fastest, in F order the first.
struct FastestFirst {
  Dims extents, strides;
  FastestFirst(const Layout& layout, bool fortran) {
    const std::size_t rank = layout.ndim();
    std::size_t count = 0;
    for (const index_t extent : layout.shape()) count += extent != 1 ? 1 : 0;
    extents = Dims::uninitialised(count);
    strides = Dims::uninitialised(count);
    for (std::size_t i = 0, out = 0; i < rank; ++i) {
      const std::size_t axis = fortran ? i : rank - 1 - i;
      if (layout.shape()[axis] == 1) continue;
      extents[out] = layout.shape()[axis];
      strides[out++] = layout.strides()[axis];
    }
  }
};

}  // namespace

Shape infer_shape(const Layout& layout, const Shape& shape) {
  const auto fail = [&](const std::string& why) {
    throw ShapeError("ferry: reshape: an array of shape " + layout.shape().to_string() + " (" +
                     std::to_string(layout.size()) + " elements) cannot have shape " + shape.to_string() + ": " + why);
  };
  index_t known = 1;
  std::size_t unknown = shape.size();
  bool overflow = false, empty = false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == -1) {
      if (unknown != shape.size()) fail("at most one extent may be -1");
      unknown = axis;
    } else if (shape[axis] < 0) {
      fail("an extent is negative");
    } else if (shape[axis] == 0) {
      empty = true;
    } else {
      overflow = __builtin_mul_overflow(known, shape[axis], &known) || overflow;
    }
  }
  if (empty) known = 0;
  if (unknown == shape.size()) {
    if ((overflow && !empty) || known != layout.size()) fail("the number of elements differs");
    return shape;
  }
  if (known == 0) fail("-1 is ambiguous beside an extent of 0");
  if (overflow || layout.size() % known != 0) fail("the number of elements does not divide");
  Shape inferred = shape;
  inferred[unknown] = layout.size() / known;
  return inferred;
}

bool try_reshape(const Layout& layout, const Shape& shape, Order order, Layout& result) {
  order = resolve_order(layout, order);
  if (layout.empty()) {
    result = LayoutAccess::make(shape, Layout::contiguous(shape, layout.itemsize(), order).strides(), layout.itemsize(),
                                layout.offset(), 0);
    return true;
  }
  const bool fortran = order == Order::F;
  Strides strides = Strides::uninitialised(shape.size());
  if (fortran ? layout.is_f_contiguous() : layout.is_c_contiguous()) {  // the usual case, and without a division
    index_t stride = layout.itemsize();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::size_t axis = fortran ? i : shape.size() - 1 - i;
      strides[axis] = stride;
      stride *= shape[axis];
    }
    result = LayoutAccess::make(shape, std::move(strides), layout.itemsize(), layout.offset(), layout.size());
    return true;
  }
  const FastestFirst old(layout, fortran);
  // Walk both shapes from the fastest axis. `run` elements of the current old axes, merged while their strides allow,
  // are handed out to new axes; a new axis that does not fit into what is left needs more old axes merged in.
  std::size_t next = 0;
  index_t left = 1, stride = layout.itemsize();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = fortran ? i : shape.size() - 1 - i;
    if (shape[axis] == 1) {
      strides[axis] = stride;
      continue;
    }
    if (left == 1) {
      left = old.extents[next];
      stride = old.strides[next++];
    }
    index_t reach =
        wrapping_product(stride, left);  // where the next old axis must continue to be one run with this one
    while (left % shape[axis] != 0) {
      if (next == old.extents.size() || old.strides[next] != reach) return false;
      left *= old.extents[next];
      reach = wrapping_product(reach, old.extents[next++]);
    }
    strides[axis] = stride;
    stride = wrapping_product(stride, shape[axis]);
    left /= shape[axis];
  }
  result = LayoutAccess::make(shape, std::move(strides), layout.itemsize(), layout.offset(), layout.size());
  return true;
}

}  // namespace ferry::inline v0::layouts
