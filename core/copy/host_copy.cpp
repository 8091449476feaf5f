#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "core/copy/host_loops.hpp"
#include "core/copy/host_transpose.hpp"
#include "core/copy/plan.hpp"
#include "ferry/backend/strided.hpp"

namespace ferry::inline v0::backend {

namespace {

using copying::for_each_outer;

// Elements are moved as words of a fixed size, by memcpy, since neither side need be aligned; the compiler turns that
// into plain loads and stores, of many words at a time where it can.
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

// Every `step`-th word of the source, side by side.
template <class W, index_t step>
void gather_row(std::byte* __restrict to, const std::byte* __restrict from, index_t n) noexcept {
  constexpr auto size = static_cast<index_t>(sizeof(W));
  for (index_t i = 0; i < n; ++i) move<W>(to + i * size, from + i * step * size);
}

template <class W>
void copy_row(std::byte* __restrict to, const std::byte* __restrict from, index_t n, index_t to_stride,
              index_t from_stride) noexcept {
  constexpr auto size = static_cast<index_t>(sizeof(W));
  if (to_stride == size) {
    // The usual steps as constants, for which the compiler has better loops.
    if (from_stride == size) return gather_row<W, 1>(to, from, n);
    if (from_stride == 0) return gather_row<W, 0>(to, from, n);
    if (from_stride == 2 * size) return gather_row<W, 2>(to, from, n);
    if (from_stride == -size) return gather_row<W, -1>(to, from, n);
    for (index_t i = 0; i < n; ++i) move<W>(to + i * size, from + i * from_stride);
  } else if (from_stride == size) {
    for (index_t i = 0; i < n; ++i) move<W>(to + i * to_stride, from + i * size);
  } else {
    for (index_t i = 0; i < n; ++i) move<W>(to + i * to_stride, from + i * from_stride);
  }
}

// Two axes, the last one the target's faster and the first one the source's.
struct Plane {
  std::byte* to;
  const std::byte* from;
  index_t n[2], to_strides[2], from_strides[2];

  Plane part(index_t i, index_t rows, index_t j, index_t columns) const noexcept {
    return {to + i * to_strides[0] + j * to_strides[1],
            from + i * from_strides[0] + j * from_strides[1],
            {rows, columns},
            {to_strides[0], to_strides[1]},
            {from_strides[0], from_strides[1]}};
  }
};

// A transposition reads down columns of cache lines: done tile by tile, each line is used whole while it is in cache.
constexpr index_t tile = 32;

template <class W>
void transpose_words(const Plane& plane) noexcept {
  const auto& ts = plane.to_strides;
  const auto& fs = plane.from_strides;
  for (index_t i0 = 0; i0 < plane.n[0]; i0 += tile) {
    const index_t rows = std::min(plane.n[0] - i0, tile);
    for (index_t j0 = 0; j0 < plane.n[1]; j0 += tile) {
      const index_t columns = std::min(plane.n[1] - j0, tile);
      for (index_t i = i0; i < i0 + rows; ++i) {
        copy_row<W>(plane.to + i * ts[0] + j0 * ts[1], plane.from + i * fs[0] + j0 * fs[1], columns, ts[1], fs[1]);
      }
    }
  }
}

// Tiles that are read side by side, so that a page's address is translated once for all of them, and processors see
// where reading goes on.
constexpr index_t tiles_in_a_row = 32;
// From here on, in bytes, a target is written past the caches.
constexpr index_t larger_than_caches = index_t{4} << 20;

enum class Store { cached, past_caches, shifted };

template <class W, Store store>
void transpose_lines(const Plane& plane) noexcept {
  using copying::Line, copying::ShiftedRows;
  using Tile = copying::LineTile<W>;
  constexpr auto edge = static_cast<index_t>(Tile::edge);
  constexpr index_t block =
      std::min(tiles_in_a_row * edge, store == Store::shifted ? ShiftedRows::most : index_t{1} << 20);
  const index_t rows = plane.n[0] / edge * edge, columns = plane.n[1] / edge * edge;
  [[maybe_unused]] std::conditional_t<store == Store::shifted, ShiftedRows, std::nullptr_t> shifted;
  for (index_t i0 = 0; i0 < rows; i0 += block) {
    const index_t end = std::min(rows, i0 + block);
    for (index_t j = 0; j < columns; j += edge) {
      for (index_t i = i0; i < end; i += edge) {
        const Plane at = plane.part(i, edge, j, edge);
        Tile::transpose(at.from, at.from_strides[1], [&](index_t k, const Line& line) {
          std::byte* const to = at.to + k * at.to_strides[0];
          if constexpr (store == Store::cached) {
            std::memcpy(to, line.part, Line::size);
          } else if constexpr (store == Store::past_caches) {
            line.stream_to(to);
          } else {
            shifted.put(i - i0 + k, to, line);
          }
        });
        if constexpr (store == Store::shifted) {
          for (index_t k = 0; k < edge; ++k) {
            std::byte* const to = at.to + k * at.to_strides[0];
            j == 0 ? shifted.write_first(i - i0 + k, to) : shifted.write_next(i - i0 + k, to);
          }
        }
      }
    }
    if constexpr (store == Store::shifted) {
      for (index_t i = i0; i < end && columns > 0; ++i) shifted.write_last(i - i0, plane.part(i, 1, columns, 0).to);
    }
  }
  if constexpr (store != Store::cached) Line::finish();
  // What is left at the right, and below.
  transpose_words<W>(plane.part(0, rows, columns, plane.n[1] - columns));
  transpose_words<W>(plane.part(rows, plane.n[0] - rows, 0, plane.n[1]));
}

template <class W>
void transpose(const Plane& plane, bool past_caches) noexcept {
  if constexpr (std::is_integral_v<W>) {
    constexpr auto size = static_cast<index_t>(sizeof(W)), line = static_cast<index_t>(copying::Line::size);
    if (plane.to_strides[1] == size && plane.from_strides[0] == size) {
      if (!past_caches) return transpose_lines<W, Store::cached>(plane);
      const bool on_lines =
          reinterpret_cast<std::uintptr_t>(plane.to) % copying::Line::size == 0 && plane.to_strides[0] % line == 0;
      if (on_lines) return transpose_lines<W, Store::past_caches>(plane);
      return transpose_lines<W, Store::shifted>(plane);
    }
  }
  transpose_words<W>(plane);
}

template <class W>
void copy_words(const StridedCopy& copy) noexcept {
  const std::size_t last = copy.extents.size() - 1;
  if (!copying::is_transposed(copy)) {
    for_each_outer(copy.extents, copy.to_strides, copy.from_strides, last, copy.to, copy.from,
                   [&](std::byte* to, const std::byte* from) {
                     copy_row<W>(to, from, copy.extents[last], copy.to_strides[last], copy.from_strides[last]);
                   });
    return;
  }
  const StridedCopy planes = copying::with_planes_last(copy);
  const auto& [to, from, itemsize, n, ts, fs] = planes;
  index_t bytes = itemsize;
  for (const index_t extent : n) bytes *= extent;
  for_each_outer(n, ts, fs, last - 1, to, from, [&, &n = n, &ts = ts, &fs = fs](std::byte* t, const std::byte* f) {
    transpose<W>({t, f, {n[last - 1], n[last]}, {ts[last - 1], ts[last]}, {fs[last - 1], fs[last]}},
                 bytes >= larger_than_caches);
  });
}

}  // namespace

void host_copy(const StridedCopy& copy) noexcept {
  if (!copy.extents.empty()) {
    switch (copy.itemsize) {
      case 1:
        return copy_words<std::uint8_t>(copy);
      case 2:
        return copy_words<std::uint16_t>(copy);
      case 4:
        return copy_words<std::uint32_t>(copy);
      case 8:
        return copy_words<std::uint64_t>(copy);
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
