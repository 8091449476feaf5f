// The order of axes in memory: NumPy's 'K'.
#pragma once

#include "ferry/layout.hpp"

namespace ferry::inline v0::layouts {

/// The axes from the slowest to the fastest by the magnitude of their strides, those of equal magnitude in C order.
/// An axis of stride 0 or length 1 says nothing about its place and stays behind the axis before it.
Dims axes_by_stride(const Layout& layout);

}  // namespace ferry::inline v0::layouts
