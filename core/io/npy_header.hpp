// The header of a .npy file as text: a Python dictionary that describes dtype, order and shape.
#pragma once

#include <string>
#include <string_view>

#include "ferry/npy.hpp"

namespace ferry::inline v0::io {

/// Parses the dictionary. @throws FormatError with the place and the reason; the caller adds the file's name
void parse_npy_dictionary(std::string_view text, NpyHeader& header);

/// The dictionary that NumPy writes for the same array.
std::string npy_dictionary(const DType& dtype, const Shape& shape, bool fortran_order);

/// NumPy's description of a dtype: "'<f8'", or a list of fields with padding made explicit.
std::string npy_descr(const DType& dtype);

}  // namespace ferry::inline v0::io
