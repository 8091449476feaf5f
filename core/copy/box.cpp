#include "core/copy/box.hpp"

#include <algorithm>

namespace ferry::inline v0::copying {

index_t bytes_of(const Box& box) noexcept {
  index_t bytes = box.itemsize;
  for (const index_t extent : box.extents) bytes *= extent;
  return bytes;
}

Cut::Cut(const Box& box, index_t bytes) : box_(box) {
  // A single run, or items longer than a part, are cut within.
  if (box_.extents.empty() || (box_.itemsize > bytes && box_.extents.size() < Dims::max_rank)) {
    box_.extents.push_back(box_.itemsize);
    box_.a_strides.push_back(1);
    box_.b_strides.push_back(1);
    box_.itemsize = 1;
  }
  inner_bytes_ = box_.itemsize;
  axis_ = box_.extents.size() - 1;
  while (axis_ > 0 && inner_bytes_ * box_.extents[axis_] <= bytes / 2) inner_bytes_ *= box_.extents[axis_--];
  for (std::size_t axis = 0; axis < axis_; ++axis) outer_ *= box_.extents[axis];
  // Equal parts, so that no thread is left with a long one; along the fastest axis they begin on a cache line.
  const index_t extent = box_.extents[axis_], most = std::max<index_t>(1, bytes / inner_bytes_);
  per_line_ = (extent + most - 1) / most;
  step_ = (extent + per_line_ - 1) / per_line_;
  if (step_ > 64) step_ = (step_ + 63) / 64 * 64;
  per_line_ = (extent + step_ - 1) / step_;
}

Box Cut::part(index_t number) const {
  index_t line = number / per_line_;
  const index_t begin = number % per_line_ * step_;
  Box part = box_;
  part.packed += (line * box_.extents[axis_] + begin) * inner_bytes_;
  part.a += begin * box_.a_strides[axis_];
  part.b += begin * box_.b_strides[axis_];
  part.extents[axis_] = std::min(step_, box_.extents[axis_] - begin);
  for (std::size_t axis = axis_; axis-- > 0;) {
    const index_t index = line % box_.extents[axis];
    line /= box_.extents[axis];
    part.a += index * box_.a_strides[axis];
    part.b += index * box_.b_strides[axis];
    part.extents[axis] = 1;
  }
  return part;
}

}  // namespace ferry::inline v0::copying
