#include "ferry/layout.hpp"

#include <algorithm>

#include "core/layout/access.hpp"
#include "core/layout/axis_order.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0 {

namespace {

bool multiply(index_t a, index_t b, index_t& result) noexcept {
  return !__builtin_mul_overflow(a, b, &result);
}
bool add(index_t a, index_t b, index_t& result) noexcept {
  return !__builtin_add_overflow(a, b, &result);
}

// The number of elements. An extent of 0 does not excuse the others: (0, 2^62, 2^62) overflows too, as in NumPy, so
// that a shape's validity does not depend on which extent is empty.
index_t checked_size(const Shape& shape, index_t itemsize) {
  if (itemsize < 0) {
    throw ShapeError("ferry: shape " + shape.to_string() + " with elements of " + std::to_string(itemsize) + " bytes");
  }
  index_t size = 1, bytes = itemsize;
  bool empty = false;
  for (const index_t extent : shape) {
    if (extent < 0) throw ShapeError("ferry: shape " + shape.to_string() + " has a negative extent");
    empty = empty || extent == 0;
    const index_t at_least_one = std::max<index_t>(extent, 1);
    if (!multiply(size, at_least_one, size) || !multiply(bytes, at_least_one, bytes)) {
      throw ShapeError("ferry: shape " + shape.to_string() + " with elements of " + std::to_string(itemsize) +
                       " bytes has more than 2^63-1 bytes");
    }
  }
  return empty ? 0 : size;
}

Strides dense_strides(const Shape& shape, const Dims& slowest_first, index_t itemsize) {
  Strides strides = Strides::uninitialised(shape.size());
  index_t stride = itemsize;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(slowest_first[i]);
    strides[axis] = stride;
    stride *= std::max<index_t>(shape[axis], 1);
  }
  return strides;
}

Dims identity_axes(std::size_t rank, bool reversed) {
  Dims axes = Dims::uninitialised(rank);
  for (std::size_t i = 0; i < rank; ++i) axes[i] = static_cast<index_t>(reversed ? rank - 1 - i : i);
  return axes;
}

// The layout must be dense along the axes taken in the given sequence, fastest first.
template <class Axis>
bool is_dense(const Layout& layout, Axis axis_at) noexcept {
  if (layout.empty()) return true;
  index_t expected = layout.itemsize();
  for (std::size_t i = 0; i < layout.ndim(); ++i) {
    const std::size_t axis = axis_at(i);
    if (layout.shape()[axis] == 1) continue;
    if (layout.strides()[axis] != expected) return false;
    expected *= layout.shape()[axis];
  }
  return true;
}

}  // namespace

Layout Layout::contiguous(const Shape& shape, index_t itemsize, Order order) {
  const index_t size = checked_size(shape, itemsize);
  return LayoutAccess::make(shape, dense_strides(shape, identity_axes(shape.size(), order == Order::F), itemsize),
                            itemsize, 0, size);
}

Layout Layout::strided(const Shape& shape, const Strides& strides, index_t itemsize, index_t offset) {
  if (shape.size() != strides.size()) {
    throw ShapeError("ferry: shape " + shape.to_string() + " and strides " + strides.to_string() +
                     " differ in their number of axes");
  }
  const index_t size = checked_size(shape, itemsize);
  Layout layout = LayoutAccess::make(shape, strides, itemsize, offset, size);
  index_t low = offset, high = offset;
  bool fits = add(high, itemsize, high);
  for (std::size_t axis = 0; axis < shape.size() && fits && size > 0; ++axis) {
    index_t reach = 0;
    fits = multiply(shape[axis] - 1, strides[axis], reach);
    if (fits) fits = reach < 0 ? add(low, reach, low) : add(high, reach, high);
  }
  index_t span = 0;
  if (!fits || __builtin_sub_overflow(high, low, &span)) {
    throw LayoutError("ferry: " + layout.to_string() + " reaches beyond 2^63 bytes");
  }
  return layout;
}

Layout Layout::dense_like(Order order, index_t itemsize) const {
  const index_t item = itemsize == 0 ? itemsize_ : itemsize;
  order = layouts::resolve_order(*this, order);
  if (order != Order::K) return contiguous(shape_, item, order);
  const index_t size = checked_size(shape_, item);
  return LayoutAccess::make(shape_, dense_strides(shape_, layouts::axes_by_stride(*this), item), item, 0, size);
}

bool Layout::is_c_contiguous() const noexcept {
  return is_dense(*this, [last = ndim() - 1](std::size_t i) { return last - i; });
}
bool Layout::is_f_contiguous() const noexcept {
  return is_dense(*this, [](std::size_t i) { return i; });
}

bool Layout::is_aligned(index_t alignment) const noexcept {
  if (size_ == 0) return true;
  bool aligned = offset_ % alignment == 0;
  for (std::size_t axis = 0; axis < ndim(); ++axis) {
    aligned = aligned && (shape_[axis] == 1 || strides_[axis] % alignment == 0);
  }
  return aligned;
}

ByteRange Layout::byte_range() const noexcept {
  if (size_ == 0) return {offset_, offset_};
  ByteRange range{offset_, offset_ + itemsize_};
  for (std::size_t axis = 0; axis < ndim(); ++axis) {
    const index_t reach = (shape_[axis] - 1) * strides_[axis];
    (reach < 0 ? range.begin : range.end) += reach;
  }
  return range;
}

Layout Layout::with_offset(index_t offset) const {
  return strided(shape_, strides_, itemsize_, offset);
}

bool Layout::same_elements(const Layout& other) const noexcept {
  if (itemsize_ != other.itemsize_ || !(shape_ == other.shape_)) return false;
  if (size_ == 0) return true;
  for (std::size_t axis = 0; axis < ndim(); ++axis) {
    if (shape_[axis] > 1 && strides_[axis] != other.strides_[axis]) return false;
  }
  return offset_ == other.offset_;
}

std::string Layout::to_string() const {
  return "shape " + shape_.to_string() + ", strides " + strides_.to_string() + " bytes";
}

}  // namespace ferry::inline v0
