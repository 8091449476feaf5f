// The orders that a layout decides: NumPy's 'K' and 'A'.
#pragma once

#include "ferry/layout.hpp"

namespace ferry::inline v0::layouts {

/// The axes from the slowest to the fastest by the magnitude of their strides, those of equal magnitude in C order.
/// An axis of stride 0 or length 1 says nothing about its place and stays behind the axis before it.
Dims axes_by_stride(const Layout& layout);

/// What A means for a layout: F if it is F- and not C-contiguous, else C. Any other order stays what it is.
Order resolve_order(const Layout& layout, Order order) noexcept;

}  // namespace ferry::inline v0::layouts
