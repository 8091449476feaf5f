// Brings elements of the other byte order into this machine's.
#pragma once

#include "ferry/dtype.hpp"

namespace ferry::inline v0::io {

/// Reverses the bytes of every swapped scalar in one element, nested ones too.
void swap_element(const DType& dtype, std::byte* element);

/// The same type with all scalars in native order.
DType to_native(const DType& dtype);

/// Equal but for byte order and for what a file cannot tell: the alignment of records, and raw members between fields.
bool same_values(const DType& a, const DType& b);

}  // namespace ferry::inline v0::io
