// Transpositions of elements of 1, 2, 4 or 8 bytes on the host, a cache line of each side at a time.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstdint>
#include <cstring>
#include <utility>

#include "ferry/config.hpp"

namespace ferry::inline v0::copying {

/// A cache line, and what a register holds of it.
struct Line {
  static constexpr std::size_t size = 64, width = 16, parts = size / width;
  using Part __attribute__((vector_size(16))) = std::uint8_t;

  Part part[parts];

  /// Writes past the caches, to a whole line of memory that is not read first, which pays where the target is larger
  /// than they are. finish() must follow before anybody else may read it.
  void stream_to(std::byte* line) const noexcept {
#if defined(__SSE2__)
    for (std::size_t i = 0; i < parts; ++i) {
      __m128i bits;
      std::memcpy(&bits, &part[i], width);
      _mm_stream_si128(reinterpret_cast<__m128i*>(line + i * width), bits);
    }
#else
    std::memcpy(line, part, size);
#endif
  }
  static void finish() noexcept {
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }
};

/// Tiles of one cache line by one. They pass through a buffer, since the lines of a tile are often a power of two
/// apart, where a cache holds only a few of them: so each is touched once.
template <class W>
class LineTile {
 public:
  static constexpr std::size_t edge = Line::size / sizeof(W);

  /// sink(i, line) for each i < edge, where line[j] = from[j][i]; the rows of `from` are dense.
  template <class Sink>
  static void transpose(const std::byte* from, index_t from_row, const Sink& sink) noexcept {
    alignas(Line::size) std::byte lines[edge][Line::size];
    for (std::size_t j = 0; j < edge; ++j) {
      std::memcpy(lines[j], from + static_cast<index_t>(j) * from_row, Line::size);
    }
    for (std::size_t block = 0; block < Line::parts; ++block) {
      V rows[Line::parts][lanes];
      for (std::size_t part = 0; part < Line::parts; ++part) {
        for (std::size_t k = 0; k < lanes; ++k) {
          std::memcpy(&rows[part][k], lines[part * lanes + k] + block * Line::width, Line::width);
        }
        transpose_lanes(rows[part]);
      }
      for (std::size_t k = 0; k < lanes; ++k) {
        Line line;
        for (std::size_t part = 0; part < Line::parts; ++part) {
          std::memcpy(&line.part[part], &rows[part][k], Line::width);
        }
        sink(static_cast<index_t>(block * lanes + k), line);
      }
    }
  }

 private:
  static constexpr std::size_t lanes = Line::width / sizeof(W);
  using V __attribute__((vector_size(16))) = W;

  template <std::size_t... I>
  static V low(V a, V b, std::index_sequence<I...>) noexcept {
    return __builtin_shufflevector(a, b, (I / 2 + I % 2 * lanes)...);
  }
  template <std::size_t... I>
  static V high(V a, V b, std::index_sequence<I...>) noexcept {
    return __builtin_shufflevector(a, b, (lanes / 2 + I / 2 + I % 2 * lanes)...);
  }
  // Interleaving row k with row k + lanes/2 is one step of a perfect shuffle of all elements; log2(lanes) of them
  // exchange the two halves of an element's index, its row and its lane.
  static void transpose_lanes(V (&rows)[lanes]) noexcept {
    constexpr auto all = std::make_index_sequence<lanes>();
    for (std::size_t step = 1; step < lanes; step *= 2) {
      V mixed[lanes];
      for (std::size_t k = 0; k < lanes / 2; ++k) {
        mixed[2 * k] = low(rows[k], rows[k + lanes / 2], all);
        mixed[2 * k + 1] = high(rows[k], rows[k + lanes / 2], all);
      }
      for (std::size_t k = 0; k < lanes; ++k) rows[k] = mixed[k];
    }
  }
};

/// Rows that do not begin on cache lines, written past the caches all the same: of each line-sized piece, what does not
/// fill a line of memory is kept until the next piece of its row comes.
class ShiftedRows {
 public:
  static constexpr index_t most = 512;

  void put(index_t row, const std::byte* to, const Line& piece) noexcept {
    std::memcpy(kept_[row] + shift_of(to), piece.part, Line::size);
  }
  /// Some time after put(): a line is loaded at once only from stores that are past, since none of them covers it.
  void write_first(index_t row, std::byte* to) noexcept {
    const std::size_t shift = shift_of(to);
    std::memcpy(to, kept_[row] + shift, Line::size - shift);
    keep(row);
  }
  void write_next(index_t row, std::byte* to) noexcept {
    Line line;
    std::memcpy(line.part, kept_[row], Line::size);
    line.stream_to(to - shift_of(to));
    keep(row);
  }
  void write_last(index_t row, std::byte* to) noexcept {
    const std::size_t shift = shift_of(to);
    std::memcpy(to - shift, kept_[row], shift);
  }

 private:
  void keep(index_t row) noexcept { std::memcpy(kept_[row], kept_[row] + Line::size, Line::size); }
  static std::size_t shift_of(const std::byte* to) noexcept {
    return reinterpret_cast<std::uintptr_t>(to) % Line::size;
  }
  alignas(Line::size) std::byte kept_[most][2 * Line::size];
};

}  // namespace ferry::inline v0::copying
