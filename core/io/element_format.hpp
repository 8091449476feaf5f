// How the elements of one array are written, so that its columns line up: NumPy's formats, each chosen from all
// elements that will be shown.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ferry/dtype.hpp"

namespace ferry::inline v0::io {

using Cells = std::vector<const std::byte*>;

class ElementFormat {
 public:
  virtual ~ElementFormat() = default;
  /// The text of one element in native byte order.
  virtual std::string text(const std::byte* at) const = 0;
};

/// The format for `cells`, elements of a native dtype. `alone`: there is no column, but one element of an array of rank
/// 0; True is then not padded.
std::unique_ptr<ElementFormat> format_for(const DType& dtype, const Cells& cells, bool alone = false);

/// One element that stands alone, as an array of rank 0 prints it.
std::string lone_element(const DType& dtype, const std::byte* at);

}  // namespace ferry::inline v0::io
