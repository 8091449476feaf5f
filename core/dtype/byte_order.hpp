// Elements as other machines write them, and types that differ by no more than that.
#pragma once

#include <cstddef>

#include "ferry/dtype.hpp"

namespace ferry::inline v0::dtypes {

/// Reverses the bytes of every swapped scalar, nested ones too, in `count` elements that lie in a row.
void swap_elements(const DType& dtype, std::byte* elements, std::size_t count);

/// Makes every boolean, nested ones too, 0 or 1: C++ gives no meaning to another value, which files may hold.
void settle_booleans(const DType& dtype, std::byte* elements, std::size_t count);

/// Equal but for byte order and for the alignment of records, which a file cannot tell.
bool same_values(const DType& a, const DType& b);
/// Equal but for the alignment of records: the one's bytes are the other's.
bool same_bytes(const DType& a, const DType& b);

/// Whether elements of type `found`, once in native order, may be read as `wanted`: the same values, or any of its size
/// where `wanted` is a struct that nobody has described.
bool readable_as(const DType& wanted, const DType& found);

}  // namespace ferry::inline v0::dtypes
