// Arrays as text, the way NumPy prints them (as of its versions 1.14 to 1.26), whatever the locale.
#pragma once

#include <string>

#include "ferry/config.hpp"
#include "ferry/dtype.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0 {

/// Nested brackets, aligned columns, lines of at most 75 characters, "..." in the middle of long axes when there are
/// more than 1000 elements, records as tuples, at most eight digits after the point; a value that stands alone has all
/// it needs. Elements of the other byte order are shown as the numbers that they are. `base` is where the layout's
/// offset 0 lies, in memory that the host may read.
FERRY_EXPORT std::string format_array(const DType& dtype, const std::byte* base, const Layout& layout);

}  // namespace ferry::inline v0
