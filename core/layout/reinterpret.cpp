#include "core/layout/access.hpp"
#include "ferry/error.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0::layouts {

Layout view_as(const Layout& layout, index_t itemsize) {
  const auto fail = [&](const char* why) {
    throw LayoutError("ferry: view_as: elements of " + std::to_string(layout.itemsize()) +
                      " bytes cannot be seen as elements of " + std::to_string(itemsize) + " bytes: " + why +
                      " (array of " + layout.to_string() + ")");
  };
  if (itemsize == layout.itemsize()) return layout;
  if (itemsize < 1) fail("an element has at least one byte");
  if (layout.ndim() == 0) fail("an array of rank 0 has no axis whose length could change");
  const std::size_t last = layout.ndim() - 1;
  Shape shape = layout.shape();
  Strides strides = layout.strides();
  if (shape[last] != 1 && !layout.empty() && strides[last] != layout.itemsize()) fail("the last axis is not dense");
  const index_t row = shape[last] * layout.itemsize();
  if (row % itemsize != 0) fail("the last axis' bytes do not divide");
  shape[last] = row / itemsize;
  strides[last] = itemsize;
  return Layout::strided(shape, strides, itemsize, layout.offset());
}

Layout field(const Layout& layout, index_t offset, index_t itemsize, const Shape& shape) {
  const Layout member = Layout::contiguous(shape, itemsize);
  if (offset < 0 || member.nbytes() > layout.itemsize() || offset > layout.itemsize() - member.nbytes()) {
    throw LayoutError("ferry: field: a member of " + std::to_string(member.nbytes()) + " bytes at offset " +
                      std::to_string(offset) + " leaves an element of " + std::to_string(layout.itemsize()) + " bytes");
  }
  if (shape.empty()) {  // the usual case, and a sound one: a part of each element
    return LayoutAccess::make(layout.shape(), layout.strides(), itemsize, layout.offset() + offset, layout.size());
  }
  Shape extents = layout.shape();
  Strides strides = layout.strides();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    extents.push_back(shape[axis]);
    strides.push_back(member.strides()[axis]);
  }
  return Layout::strided(extents, strides, itemsize, layout.offset() + offset);
}

}  // namespace ferry::inline v0::layouts
