// Cutting a strided operation into parts that lie one after another in the packed order.
#pragma once

#include "ferry/config.hpp"
#include "ferry/dims.hpp"

namespace ferry::inline v0::copying {

/// Elements of two sides walked together, in an order in which they are also packed densely: the last axis fastest.
/// Offsets and strides in bytes.
struct Box {
  Dims extents;
  Dims a_strides, b_strides;
  index_t a = 0, b = 0;  ///< where the first element lies, on both sides
  index_t packed = 0;    ///< where it lies in the packed order
  index_t itemsize = 1;
};

index_t bytes_of(const Box& box) noexcept;

/// A box taken apart along one axis, the axes before it one index at a time.
class Cut {
 public:
  /// Parts of about `bytes`, at least one element each.
  Cut(const Box& box, index_t bytes);
  index_t count() const noexcept { return outer_ * per_line_; }
  Box part(index_t number) const;
  const Box& whole() const noexcept { return box_; }

 private:
  Box box_;
  std::size_t axis_ = 0;     // cut here
  index_t outer_ = 1;        // indices of the axes before
  index_t inner_bytes_ = 1;  // of one step along the axis
  index_t step_ = 1, per_line_ = 1;
};

}  // namespace ferry::inline v0::copying
