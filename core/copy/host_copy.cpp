#include <cstdlib>
#include <cstring>

#include "core/copy/host_loops.hpp"
#include "ferry/backend/strided.hpp"

namespace ferry::inline v0::backend {

namespace {

using copying::for_each_outer;

// Elements are moved as words of a fixed size, by memcpy, since neither side need be aligned; the compiler turns that
// into plain loads and stores.
template <std::size_t Bytes>
struct Word {
  std::byte bytes[Bytes];
};

template <class W>
void move(std::byte* to, const std::byte* from) noexcept {
  W word;
  std::memcpy(&word, from, sizeof word);
  std::memcpy(to, &word, sizeof word);
}

template <class W>
void copy_row(std::byte* to, const std::byte* from, index_t n, index_t to_stride, index_t from_stride) noexcept {
  constexpr auto size = static_cast<index_t>(sizeof(W));
  // Dense on one side is the usual case, and a constant stride lets the compiler unroll and address simply.
  if (to_stride == size) {
    for (index_t i = 0; i < n; ++i) move<W>(to + i * size, from + i * from_stride);
  } else if (from_stride == size) {
    for (index_t i = 0; i < n; ++i) move<W>(to + i * to_stride, from + i * size);
  } else {
    for (index_t i = 0; i < n; ++i) move<W>(to + i * to_stride, from + i * from_stride);
  }
}

// A transposition reads down columns of cache lines: done tile by tile, each line is used whole while it is in cache.
constexpr index_t tile = 32;

template <class W>
void copy_plane(std::byte* to, const std::byte* from, const index_t (&n)[2], const index_t (&ts)[2],
                const index_t (&fs)[2]) noexcept {
  for (index_t i0 = 0; i0 < n[0]; i0 += tile) {
    const index_t rows = n[0] - i0 < tile ? n[0] - i0 : tile;
    for (index_t j0 = 0; j0 < n[1]; j0 += tile) {
      const index_t columns = n[1] - j0 < tile ? n[1] - j0 : tile;
      for (index_t i = i0; i < i0 + rows; ++i) {
        copy_row<W>(to + i * ts[0] + j0 * ts[1], from + i * fs[0] + j0 * fs[1], columns, ts[1], fs[1]);
      }
    }
  }
}

// The source's fastest axis among those before the last, if the source walks it in smaller steps than the last one.
std::size_t transposed_axis(const StridedCopy& copy) noexcept {
  const std::size_t last = copy.extents.size() - 1;
  std::size_t best = last;
  for (std::size_t axis = 0; axis < last; ++axis) {
    const index_t stride = std::abs(copy.from_strides[axis]);
    if (stride != 0 && stride < std::abs(copy.from_strides[best])) best = axis;
  }
  return best;
}

template <class W>
void copy_words(const StridedCopy& copy) noexcept {
  const std::size_t rank = copy.extents.size(), last = rank - 1;
  const std::size_t other = transposed_axis(copy);
  if (other == last) {
    for_each_outer(copy.extents, copy.to_strides, copy.from_strides, last, copy.to, copy.from,
                   [&](std::byte* to, const std::byte* from) {
                     copy_row<W>(to, from, copy.extents[last], copy.to_strides[last], copy.from_strides[last]);
                   });
    return;
  }
  // Bring the two axes of the transposition to the end.
  Dims extents = copy.extents, ts = copy.to_strides, fs = copy.from_strides;
  for (std::size_t axis = other; axis + 1 < last; ++axis) {
    std::swap(extents[axis], extents[axis + 1]);
    std::swap(ts[axis], ts[axis + 1]);
    std::swap(fs[axis], fs[axis + 1]);
  }
  const index_t n[2] = {extents[last - 1], extents[last]}, to_plane[2] = {ts[last - 1], ts[last]},
                from_plane[2] = {fs[last - 1], fs[last]};
  for_each_outer(extents, ts, fs, last - 1, copy.to, copy.from,
                 [&](std::byte* to, const std::byte* from) { copy_plane<W>(to, from, n, to_plane, from_plane); });
}

}  // namespace

void host_copy(const StridedCopy& copy) noexcept {
  if (!copy.extents.empty()) {
    switch (copy.itemsize) {
      case 1:
        return copy_words<Word<1>>(copy);
      case 2:
        return copy_words<Word<2>>(copy);
      case 4:
        return copy_words<Word<4>>(copy);
      case 8:
        return copy_words<Word<8>>(copy);
      case 12:
        return copy_words<Word<12>>(copy);
      case 16:
        return copy_words<Word<16>>(copy);
      case 24:
        return copy_words<Word<24>>(copy);
      default:
        break;
    }
  }
  const auto bytes = static_cast<std::size_t>(copy.itemsize);
  if (bytes == 0) return;
  for_each_outer(copy.extents, copy.to_strides, copy.from_strides, copy.extents.size(), copy.to, copy.from,
                 [bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

void host_fill(const StridedFill& fill) noexcept {
  // Memory of no bytes may have no address, which memset does not take.
  for (const index_t extent : fill.extents) {
    if (extent == 0) return;
  }
  if (fill.itemsize == 0) return;
  const auto bytes = static_cast<std::size_t>(fill.itemsize);
  bool one_byte = true;
  for (std::size_t i = 1; i < bytes; ++i) one_byte = one_byte && fill.pattern[i] == fill.pattern[0];
  if (one_byte && fill.extents.size() == 1 && fill.to_strides[0] == fill.itemsize) {
    std::memset(fill.to, static_cast<int>(fill.pattern[0]), bytes * static_cast<std::size_t>(fill.extents[0]));
    return;
  }
  // A fill is a copy whose source does not move.
  host_copy(
      {fill.to, fill.pattern, fill.itemsize, fill.extents, fill.to_strides, Dims::filled(fill.extents.size(), 0)});
}

}  // namespace ferry::inline v0::backend
