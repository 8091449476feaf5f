// How kernels find their way through strided axes: one number per element, taken apart into an index per axis.
#pragma once

#include <cstdint>

#include "ferry/config.hpp"
#include "ferry/dims.hpp"

namespace ferry::inline v0::backend::gpu {

/// Divides 32-bit numbers below 2^31 by a fixed one with a multiplication and a shift, since GPUs have no division.
/// With s = ceil(log2 d) and m = floor(2^32 (2^s - d) / d) + 1, n / d = (mulhi(n, m) + n) >> s: Granlund and Montgomery,
/// "Division by invariant integers using multiplication", 1994, figure 4.1.
class Divider {
 public:
  Divider() = default;
  explicit Divider(std::uint32_t divisor) : divisor_(divisor) {
    while (shift_ < 32 && (std::uint64_t{1} << shift_) < divisor) ++shift_;
    const std::uint64_t power = std::uint64_t{1} << shift_;
    multiplier_ = static_cast<std::uint32_t>((power - divisor) * (std::uint64_t{1} << 32) / divisor + 1);
  }
  __device__ std::uint32_t divide(std::uint32_t n) const {
    return (__umulhi(n, multiplier_) + n) >> shift_;
  }
  __device__ std::uint32_t divisor() const { return divisor_; }

 private:
  std::uint32_t divisor_ = 1, multiplier_ = 1, shift_ = 0;
};

/// Axes for up to 2^31 - 1 elements: the numbers are 32 bits wide, the byte offsets 64.
template <std::size_t MaxRank>
struct SmallWalk {
  using Number = std::uint32_t;
  int rank = 0;
  Divider extents[MaxRank];
  index_t to[MaxRank], from[MaxRank];

  void set(std::size_t axis, index_t extent, index_t to_stride, index_t from_stride) {
    extents[axis] = Divider(static_cast<std::uint32_t>(extent));
    to[axis] = to_stride;
    from[axis] = from_stride;
  }
  __device__ void locate(Number number, index_t& to_offset, index_t& from_offset) const {
    to_offset = from_offset = 0;
#pragma unroll
    for (int axis = static_cast<int>(MaxRank) - 1; axis > 0; --axis) {
      if (axis >= rank) continue;
      const Number rest = extents[axis].divide(number);
      const auto index = static_cast<index_t>(number - rest * extents[axis].divisor());
      to_offset += index * to[axis];
      from_offset += index * from[axis];
      number = rest;
    }
    to_offset += static_cast<index_t>(number) * to[0];
    from_offset += static_cast<index_t>(number) * from[0];
  }
};

/// Axes for any number of elements and any rank.
struct LargeWalk {
  using Number = std::uint64_t;
  int rank = 0;
  index_t extents[Dims::max_rank + 1];
  index_t to[Dims::max_rank + 1], from[Dims::max_rank + 1];

  void set(std::size_t axis, index_t extent, index_t to_stride, index_t from_stride) {
    extents[axis] = extent;
    to[axis] = to_stride;
    from[axis] = from_stride;
  }
  __device__ void locate(Number number, index_t& to_offset, index_t& from_offset) const {
    to_offset = from_offset = 0;
    for (int axis = rank - 1; axis > 0; --axis) {
      const auto extent = static_cast<Number>(extents[axis]);
      const Number rest = number / extent;
      const auto index = static_cast<index_t>(number - rest * extent);
      to_offset += index * to[axis];
      from_offset += index * from[axis];
      number = rest;
    }
    to_offset += static_cast<index_t>(number) * to[0];
    from_offset += static_cast<index_t>(number) * from[0];
  }
};

inline constexpr int threads_per_block = 256;

/// Blocks for a loop that strides over the grid: enough to fill the device, and no more than there is work for.
inline unsigned blocks_for(std::uint64_t elements, int multiprocessors) {
  const std::uint64_t needed = (elements + threads_per_block - 1) / threads_per_block;
  const std::uint64_t enough = static_cast<std::uint64_t>(multiprocessors) * 32;
  return static_cast<unsigned>(needed < enough ? needed : enough);
}

/// Calls launch(walk, elements) with the cheapest walk that holds the axes, given outermost first. One axis of
/// `tail` > 1 steps of `tail_stride` bytes on both sides is added within each element.
template <class Launch>
auto with_walk(const Dims& extents, const Dims& to, const Dims& from, index_t tail, index_t tail_stride,
               std::uint64_t elements, Launch&& launch) {
  const auto fill = [&](auto& walk) {
    for (std::size_t axis = 0; axis < extents.size(); ++axis) walk.set(static_cast<std::size_t>(walk.rank++), extents[axis], to[axis], from[axis]);
    if (tail > 1) walk.set(static_cast<std::size_t>(walk.rank++), tail, tail_stride, tail_stride);
    if (walk.rank == 0) walk.set(static_cast<std::size_t>(walk.rank++), 1, 0, 0);
  };
  const std::size_t rank = extents.size() + (tail > 1 ? 1 : 0);
  if (elements > INT32_MAX || rank > 8) {
    LargeWalk walk;
    fill(walk);
    return launch(walk, elements);
  }
  if (rank <= 3) {
    SmallWalk<3> walk;
    fill(walk);
    return launch(walk, static_cast<std::uint32_t>(elements));
  }
  SmallWalk<8> walk;
  fill(walk);
  return launch(walk, static_cast<std::uint32_t>(elements));
}

/// Elements of a shape; 0 when an extent is.
inline std::uint64_t count(const Dims& extents) {
  std::uint64_t n = 1;
  for (const index_t extent : extents) n *= static_cast<std::uint64_t>(extent);
  return n;
}

}  // namespace ferry::inline v0::backend::gpu
