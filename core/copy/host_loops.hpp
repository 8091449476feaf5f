// Walks the outer axes of a strided operation, so that kernels see two axes at the most.
#pragma once

#include "ferry/config.hpp"
#include "ferry/dims.hpp"

namespace ferry::inline v0::copying {

/// Calls body(to, from) for each index of the axes before `inner`, the last of them running fastest.
template <class Body>
void for_each_outer(const Dims& extents, const Dims& to_strides, const Dims& from_strides, std::size_t inner,
                    std::byte* to, const std::byte* from, const Body& body) {
  for (const index_t extent : extents) {
    if (extent == 0) return;
  }
  index_t index[Dims::max_rank] = {};
  for (;;) {
    body(to, from);
    std::size_t axis = inner;
    for (;;) {
      if (axis == 0) return;
      --axis;
      to += to_strides[axis];
      from += from_strides[axis];
      if (++index[axis] < extents[axis]) break;
      to -= to_strides[axis] * extents[axis];
      from -= from_strides[axis] * extents[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace ferry::inline v0::copying
