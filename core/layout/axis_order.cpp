#include "core/layout/axis_order.hpp"

namespace ferry::inline v0::layouts {

namespace {

// How far apart an axis' elements are; 0 when the axis says nothing of its place. Unsigned, as the stride of a unit
// axis may be -2^63.
std::uint64_t distance(const Layout& layout, std::size_t axis) {
  if (layout.shape()[axis] == 1) return 0;
  const auto stride = static_cast<std::uint64_t>(layout.strides()[axis]);
  return layout.strides()[axis] < 0 ? 0 - stride : stride;
}

}  // namespace

Dims axes_by_stride(const Layout& layout) {
  Dims axes = Dims::uninitialised(layout.ndim());
  // NumPy's insertion sort: an axis moves in front of those to its left that it is known to be slower than; those it
  // cannot be compared with (a distance of 0 on either side) are passed over without deciding.
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::size_t place = i;
    const std::uint64_t stride = distance(layout, i);
    for (std::size_t j = i; j-- > 0;) {
      const std::uint64_t other = distance(layout, static_cast<std::size_t>(axes[j]));
      if (stride == 0 || other == 0) continue;
      if (stride <= other) break;
      place = j;
    }
    for (std::size_t j = i; j > place; --j) axes[j] = axes[j - 1];
    axes[place] = static_cast<index_t>(i);
  }
  return axes;
}

Order resolve_order(const Layout& layout, Order order) noexcept {
  if (order != Order::A) return order;
  return layout.is_f_contiguous() && !layout.is_c_contiguous() ? Order::F : Order::C;
}

}  // namespace ferry::inline v0::layouts
