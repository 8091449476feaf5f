#include "core/layout/axis_order.hpp"

#include <cstdlib>

namespace ferry::inline v0::layouts {

Dims axes_by_stride(const Layout& layout) {
  Dims axes = Dims::uninitialised(layout.ndim());
  // NumPy's insertion sort: an axis moves in front of those to its left that it is known to be slower than; those it
  // cannot be compared with (a stride of 0 on either side) are passed over without deciding.
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::size_t place = i;
    const index_t stride = std::abs(layout.strides()[i]);
    for (std::size_t j = i; j-- > 0;) {
      const auto other_axis = static_cast<std::size_t>(axes[j]);
      const index_t other = std::abs(layout.strides()[other_axis]);
      if (stride == 0 || other == 0) continue;
      if (stride <= other) break;
      place = j;
    }
    for (std::size_t j = i; j > place; --j) axes[j] = axes[j - 1];
    axes[place] = static_cast<index_t>(i);
  }
  return axes;
}

}  // namespace ferry::inline v0::layouts
