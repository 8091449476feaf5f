// Reads the few kinds of Python literal that NumPy writes into headers: strings, integers, True, False, None, tuples,
// lists, dictionaries. Nothing is evaluated.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ferry/config.hpp"

namespace ferry::inline v0::io {

struct PythonValue {
  enum class Kind : unsigned char { none, boolean, integer, string, tuple, list, dictionary };
  Kind kind = Kind::none;
  index_t integer = 0;  // also True and False
  std::string string;
  std::vector<PythonValue> items;  // of a tuple or list; of a dictionary, keys and values in turn
};

/// @throws FormatError naming the position; `text` must hold one literal and white space
PythonValue parse_python_literal(std::string_view text);

}  // namespace ferry::inline v0::io
