// Arrays as text, the way NumPy prints them.
#pragma once

#include <string>

#include "ferry/config.hpp"
#include "ferry/dtype.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0 {

/// Nested brackets, aligned columns, "..." in the middle of long axes when there are more than 1000 elements, records
/// as tuples. `base` is where the layout's offset 0 lies, in memory that the host may read.
FERRY_EXPORT std::string format_array(const DType& dtype, const std::byte* base, const Layout& layout);

}  // namespace ferry::inline v0
