// Equality of elements by value, for types known at run time.
#pragma once

#include "ferry/dtype.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0::dtypes {

/// Whether two arrays of one shape in host memory hold equal elements. Both types are native and have the same values
/// (byte_order.hpp). As in NumPy, NaN differs from itself, 0 equals -0, and bytes between fields do not count.
bool equal_values(const DType& a_dtype, const std::byte* a, const Layout& a_layout, const DType& b_dtype,
                  const std::byte* b, const Layout& b_layout);

}  // namespace ferry::inline v0::dtypes
