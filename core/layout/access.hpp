// Builds layouts whose soundness the caller has established.
#pragma once

#include <utility>

#include "ferry/error.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0 {

struct LayoutAccess {
  // Takes the lists by reference: each move of one costs nanoseconds, which is what a view may cost in all.
  template <class ShapeLike, class StridesLike>
  static Layout make(ShapeLike&& shape, StridesLike&& strides, index_t itemsize, index_t offset, index_t size) {
    return Layout(std::forward<ShapeLike>(shape), std::forward<StridesLike>(strides), itemsize, offset, size);
  }
};

namespace layouts {

/// An axis counted from the front.
inline std::size_t normalise_axis(const char* call, const Layout& layout, index_t axis) {
  const auto ndim = static_cast<index_t>(layout.ndim());
  if (axis < -ndim || axis >= ndim) {
    throw ShapeError("ferry: " + std::string(call) + ": axis " + std::to_string(axis) +
                     " is out of range for an array of " + layout.to_string());
  }
  return static_cast<std::size_t>(axis < 0 ? axis + ndim : axis);
}

}  // namespace layouts
}  // namespace ferry::inline v0
