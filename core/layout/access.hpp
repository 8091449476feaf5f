// Builds layouts whose soundness the caller has established.
#pragma once

#include <utility>

#include "ferry/error.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0 {

struct LayoutAccess {
  static Layout make(Shape shape, Strides strides, index_t itemsize, index_t offset, index_t size) noexcept {
    Layout layout;
    layout.shape_ = std::move(shape);
    layout.strides_ = std::move(strides);
    layout.itemsize_ = itemsize;
    layout.offset_ = offset;
    layout.size_ = size;
    return layout;
  }
};

namespace layouts {

/// An axis counted from the front.
inline std::size_t normalise_axis(const char* call, const Layout& layout, index_t axis) {
  const auto ndim = static_cast<index_t>(layout.ndim());
  if (axis < -ndim || axis >= ndim) {
    throw ShapeError("ferry: " + std::string(call) + ": axis " + std::to_string(axis) + " is out of range for an array of " +
                     layout.to_string());
  }
  return static_cast<std::size_t>(axis < 0 ? axis + ndim : axis);
}

}  // namespace layouts
}  // namespace ferry::inline v0
