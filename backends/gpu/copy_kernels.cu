// Copies and fills of strided elements, as words as wide as addresses and strides allow.
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "backends/gpu/kernels.hpp"
#include "backends/gpu/launch.cuh"
#include "backends/gpu/walk.cuh"

namespace ferry::inline v0::backend::gpu {

namespace {

// Two 8-byte halves, loaded and stored in one instruction where they are 16-byte aligned.
struct alignas(16) Wide {
  std::uint64_t halves[2];
};

// Each thread has this many words under way at a time: with one, a memory as fast as a GPU's waits for its requests.
constexpr int unrolled = 4;

template <class Word, class Walk>
__global__ void copy_words(std::byte* to, const std::byte* from, const Walk walk, const typename Walk::Number words) {
  using Number = typename Walk::Number;
  const auto step = static_cast<Number>(gridDim.x) * blockDim.x * unrolled;
  for (auto first = static_cast<Number>(blockIdx.x) * blockDim.x * unrolled + threadIdx.x; first < words;
       first += step) {
    Word word[unrolled];
    index_t target[unrolled];
#pragma unroll
    for (int u = 0; u < unrolled; ++u) {
      const Number i = first + static_cast<Number>(u) * blockDim.x;
      if (i >= words) break;
      index_t source;
      walk.locate(i, target[u], source);
      word[u] = *reinterpret_cast<const Word*>(from + source);
    }
#pragma unroll
    for (int u = 0; u < unrolled; ++u) {
      if (first + static_cast<Number>(u) * blockDim.x >= words) break;
      *reinterpret_cast<Word*>(to + target[u]) = word[u];
    }
  }
}

// Long runs, at any distance from alignment: the target is written in aligned words of 16 bytes, each put together from
// the two aligned words of the source that it straddles. One block after another takes a stretch of a run.
constexpr index_t run_stretch = index_t{threads_per_block} * static_cast<index_t>(sizeof(Wide)) * unrolled;

// Bytes `shift` … `shift + 15` of two words that lie side by side.
__device__ Wide straddle(const Wide& low, const Wide& high, unsigned shift) {
  const std::uint64_t words[4] = {low.halves[0], low.halves[1], high.halves[0], high.halves[1]};
  const unsigned first = shift / 8, bits = shift % 8 * 8;
  const std::uint64_t a = first == 0 ? words[0] : words[1], b = first == 0 ? words[1] : words[2],
                      c = first == 0 ? words[2] : words[3];
  if (bits == 0) return {{a, b}};
  return {{(a >> bits) | (b << (64 - bits)), (b >> bits) | (c << (64 - bits))}};
}

template <class Walk>
__global__ void copy_runs(std::byte* to, const std::byte* from, const Walk walk, const index_t run,
                          const std::uint64_t stretches, const std::uint32_t stretches_of_run) {
  for (std::uint64_t number = blockIdx.x; number < stretches; number += gridDim.x) {
    const std::uint64_t which = number / stretches_of_run;
    index_t t, f;
    walk.locate(static_cast<typename Walk::Number>(which), t, f);
    std::byte* const target = to + t;
    const std::byte* const source = from + f;
    // Words are counted from the target's first aligned one; the last stretch has what is left over on both ends too.
    const index_t head = static_cast<index_t>(-reinterpret_cast<std::uintptr_t>(target) & 15);
    const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(source + head) & 15);
    // Words whose two source words lie within the run; of aligned ones there is only one.
    const index_t first = shift > static_cast<unsigned>(head) ? 1 : 0;
    const index_t last = (run - head - (shift == 0 ? 0 : 16)) / 16;  // one past
    const index_t begin = static_cast<index_t>(number - which * stretches_of_run) * (run_stretch / 16);
    // What no whole word covers at both ends is for single threads, along with the first words.
    const index_t head_end = head + first * 16, tail = head + last * 16;
    const index_t edge = static_cast<index_t>(threadIdx.x) < head_end ? threadIdx.x : tail + threadIdx.x - head_end;
    const bool has_edge = begin == 0 && edge < run;
    std::byte edge_byte{};
    if (has_edge) edge_byte = source[edge];
    Wide word[unrolled];
#pragma unroll
    for (int u = 0; u < unrolled; ++u) {
      const index_t i = begin + threadIdx.x + u * threads_per_block;
      if (i < first || i >= last) continue;
      const Wide* const at = reinterpret_cast<const Wide*>(source + head + i * 16 - shift);
      word[u] = shift == 0 ? *at : straddle(at[0], at[1], shift);
    }
    if (has_edge) target[edge] = edge_byte;
#pragma unroll
    for (int u = 0; u < unrolled; ++u) {
      const index_t i = begin + threadIdx.x + u * threads_per_block;
      if (i >= first && i < last) *reinterpret_cast<Wide*>(target + head + i * 16) = word[u];
    }
  }
}

// A plane whose two sides run fastest along different axes goes through shared memory tile by tile, so that both are
// read and written along their own fast axis: the source along its rows' axis, the target along its columns'.
//
// A tile is 32 packs of rows by 64 of columns; a pack is Pack elements along one axis, moved as one word where
// alignment allows, since a warp that moves single bytes keeps too few of them under way. It is wide along the target's
// lines: 256 bytes of them at a time were 0.90 of memcpy for single bytes on an H200, 128 bytes 0.76. A thread reads a
// block of Pack by Pack elements as words along the source's axis and turns it in registers into words along the
// target's.
constexpr int tile = 32, tile_columns = 64, tile_rows = 8;

struct Plane {
  index_t rows, columns;      // columns: the target's fast axis; rows: the source's
  index_t to_row, to_column;  // strides in bytes
  index_t from_row, from_column;
  std::uint32_t row_tiles, column_tiles;
};

// A word of Pack elements, as an unsigned number where there is more than one.
template <class Element, int Pack>
struct PackedWord {
  using type = std::conditional_t<sizeof(Element) * Pack == 4, std::uint32_t, std::uint64_t>;
};
template <class Element>
struct PackedWord<Element, 1> {
  using type = Element;
};

template <class Element, int Pack>
__device__ Element element_of(const typename PackedWord<Element, Pack>::type& word, int k) {
  if constexpr (Pack == 1) {
    return word;
  } else {
    return static_cast<Element>(word >> (8 * sizeof(Element) * static_cast<unsigned>(k)));
  }
}

// Turns a block of Pack words over: element q of word k becomes element k of word q.
template <class Element, int Pack>
__device__ void turn(typename PackedWord<Element, Pack>::type* words) {
  if constexpr (Pack == 4 && sizeof(Element) == 1) {
    const std::uint32_t low01 = __byte_perm(words[0], words[1], 0x5140),
                        high01 = __byte_perm(words[0], words[1], 0x7362),
                        low23 = __byte_perm(words[2], words[3], 0x5140),
                        high23 = __byte_perm(words[2], words[3], 0x7362);
    words[0] = __byte_perm(low01, low23, 0x5410);
    words[1] = __byte_perm(low01, low23, 0x7632);
    words[2] = __byte_perm(high01, high23, 0x5410);
    words[3] = __byte_perm(high01, high23, 0x7632);
  } else if constexpr (Pack > 1) {
    typename PackedWord<Element, Pack>::type turned[Pack]{};
#pragma unroll
    for (int k = 0; k < Pack; ++k) {
#pragma unroll
      for (int q = 0; q < Pack; ++q) {
        const Element element = element_of<Element, Pack>(words[q], k);
        turned[k] |= static_cast<typename PackedWord<Element, Pack>::type>(element)
                     << (8 * sizeof(Element) * static_cast<unsigned>(q));
      }
    }
#pragma unroll
    for (int k = 0; k < Pack; ++k) words[k] = turned[k];
  }
}

template <class Element, int Pack, bool ReadWords, bool WriteWords, class Walk>
__global__ void __launch_bounds__(tile* tile_rows)
    transpose_planes(std::byte* to, const std::byte* from, const Plane plane, const Walk outer,
                     const std::uint64_t tiles) {
  using Word = typename PackedWord<Element, Pack>::type;
  constexpr int passes = tile_columns / tile_rows;
  // One more column: a column of the tile then lies in different banks.
  __shared__ Word block[Pack * tile][tile_columns + 1];
  const int lane = static_cast<int>(threadIdx.x);
  const std::uint64_t tiles_of_plane = static_cast<std::uint64_t>(plane.row_tiles) * plane.column_tiles;
  for (std::uint64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    const std::uint64_t plane_number = number / tiles_of_plane;
    const auto in_plane = static_cast<std::uint32_t>(number - plane_number * tiles_of_plane);
    const std::uint32_t row_tile = in_plane / plane.column_tiles, column_tile = in_plane % plane.column_tiles;
    index_t t, f;
    outer.locate(static_cast<typename Walk::Number>(plane_number), t, f);
    const index_t row0 = static_cast<index_t>(row_tile) * tile * Pack;
    const index_t column0 = static_cast<index_t>(column_tile) * tile_columns * Pack;

    // words[p][k]: read as words along the rows, they hold rows lane * Pack + … of one column; read singly, they are
    // put together at once from row k * tile + lane of Pack columns. Slot k * tile + lane of the block gets what
    // belongs to one row.
    Word words[passes][Pack];
#pragma unroll
    for (int p = 0; p < passes; ++p) {
      const index_t pack = static_cast<index_t>(threadIdx.y) + p * tile_rows;
#pragma unroll
      for (int k = 0; k < Pack; ++k) {
        Word word{};
        if constexpr (ReadWords) {
          const index_t row = row0 + lane * Pack, column = column0 + pack * Pack + k;
          const std::byte* const at = from + f + row * plane.from_row + column * plane.from_column;
          if (column < plane.columns) {
            if (row + Pack <= plane.rows) {
              word = *reinterpret_cast<const Word*>(at);
            } else if constexpr (Pack > 1) {  // the last rows are no whole word
#pragma unroll
              for (int q = 0; q < Pack; ++q) {
                if (row + q >= plane.rows) continue;
                const Element element = *reinterpret_cast<const Element*>(at + q * plane.from_row);
                word |= static_cast<Word>(element) << (8 * sizeof(Element) * static_cast<unsigned>(q));
              }
            }
          }
        } else {
          const index_t row = row0 + k * tile + lane;
#pragma unroll
          for (int q = 0; q < Pack; ++q) {
            const index_t column = column0 + pack * Pack + q;
            if (row >= plane.rows || column >= plane.columns) continue;
            const Element element =
                *reinterpret_cast<const Element*>(from + f + row * plane.from_row + column * plane.from_column);
            if constexpr (Pack == 1) {
              word = element;
            } else {
              word |= static_cast<Word>(element) << (8 * sizeof(Element) * static_cast<unsigned>(q));
            }
          }
        }
        words[p][k] = word;
      }
    }
#pragma unroll
    for (int p = 0; p < passes; ++p) {
      const int pack = static_cast<int>(threadIdx.y) + p * tile_rows;
      if constexpr (ReadWords) turn<Element, Pack>(words[p]);
#pragma unroll
      for (int k = 0; k < Pack; ++k) block[k * tile + lane][pack] = words[p][k];
    }
    __syncthreads();
    for (int slot = static_cast<int>(threadIdx.y); slot < Pack * tile; slot += tile_rows) {
      const int within = ReadWords ? slot % tile * Pack + slot / tile : slot;
      const index_t row = row0 + within;
      if (row >= plane.rows) continue;
      std::byte* const line = to + t + row * plane.to_row;
      if constexpr (WriteWords) {
#pragma unroll
        for (int at = 0; at < tile_columns; at += tile) {
          const index_t column = column0 + static_cast<index_t>(at + lane) * Pack;
          if (column + Pack <= plane.columns) {
            *reinterpret_cast<Word*>(line + column * plane.to_column) = block[slot][at + lane];
          } else if constexpr (Pack > 1) {
#pragma unroll
            for (int q = 0; q < Pack; ++q) {
              if (column + q >= plane.columns) continue;
              *reinterpret_cast<Element*>(line + (column + q) * plane.to_column) =
                  element_of<Element, Pack>(block[slot][at + lane], q);
            }
          }
        }
      } else {
#pragma unroll
        for (int at = 0; at < tile_columns * Pack; at += tile) {
          const int column = at + lane;
          if (column0 + column >= plane.columns) continue;
          *reinterpret_cast<Element*>(line + (column0 + column) * plane.to_column) =
              element_of<Element, Pack>(block[slot][column / Pack], column % Pack);
        }
      }
    }
    __syncthreads();
  }
}

// A transposition into lines that do not begin on a sector of memory: a tile written as it is read would leave sectors
// half written at its edges. Here each line's stretch of a tile is shifted back to the sector's beginning, and the tile
// is read that much wider.
template <class Element>
struct ShiftedTile {
  static constexpr index_t sector = 32;
  static constexpr int rows = sizeof(Element) == 4 ? 64 : 32, columns = 64;
  static constexpr int halo = static_cast<int>(sector / static_cast<index_t>(sizeof(Element))) - 1;
  static constexpr int width = (columns + halo) | 1;  // odd: a column of the tile lies in different banks
};

template <class Element, class Walk>
__global__ void __launch_bounds__(tile* tile_rows)
    transpose_shifted(std::byte* to, const std::byte* from, const Plane plane, const Walk outer,
                      const std::uint64_t tiles) {
  using Tile = ShiftedTile<Element>;
  constexpr int rows_of_lane = Tile::rows / tile;
  constexpr int passes = (Tile::columns + Tile::halo + tile_rows - 1) / tile_rows;
  __shared__ Element block[Tile::rows][Tile::width];
  const int lane = static_cast<int>(threadIdx.x);
  const std::uint64_t tiles_of_plane = static_cast<std::uint64_t>(plane.row_tiles) * plane.column_tiles;
  for (std::uint64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    const std::uint64_t plane_number = number / tiles_of_plane;
    const auto in_plane = static_cast<std::uint32_t>(number - plane_number * tiles_of_plane);
    const std::uint32_t row_tile = in_plane / plane.column_tiles, column_tile = in_plane % plane.column_tiles;
    index_t t, f;
    outer.locate(static_cast<typename Walk::Number>(plane_number), t, f);
    const index_t row0 = static_cast<index_t>(row_tile) * Tile::rows;
    const index_t column0 = static_cast<index_t>(column_tile) * Tile::columns;
    Element elements[passes][rows_of_lane];
#pragma unroll
    for (int p = 0; p < passes; ++p) {
      const int within = static_cast<int>(threadIdx.y) + p * tile_rows;
      const index_t column = column0 - Tile::halo + within;
#pragma unroll
      for (int k = 0; k < rows_of_lane; ++k) {
        const index_t row = row0 + k * tile + lane;
        if (within < Tile::columns + Tile::halo && column >= 0 && column < plane.columns && row < plane.rows) {
          elements[p][k] =
              *reinterpret_cast<const Element*>(from + f + row * plane.from_row + column * plane.from_column);
        }
      }
    }
#pragma unroll
    for (int p = 0; p < passes; ++p) {
      const int within = static_cast<int>(threadIdx.y) + p * tile_rows;
#pragma unroll
      for (int k = 0; k < rows_of_lane; ++k) {
        if (within < Tile::columns + Tile::halo) block[k * tile + lane][within] = elements[p][k];
      }
    }
    __syncthreads();
    for (int within = static_cast<int>(threadIdx.y); within < Tile::rows; within += tile_rows) {
      const index_t row = row0 + within;
      if (row >= plane.rows) break;
      std::byte* const line = to + t + row * plane.to_row;
      const auto past = reinterpret_cast<std::uintptr_t>(line + column0 * plane.to_column) & (Tile::sector - 1);
      const int shift = static_cast<int>(past / sizeof(Element));
#pragma unroll
      for (int k = 0; k < Tile::columns; k += tile) {
        const index_t column = column0 - shift + k + lane;
        if (column < 0 || column >= plane.columns) continue;
        *reinterpret_cast<Element*>(line + column * plane.to_column) = block[within][k + lane + Tile::halo - shift];
      }
    }
    __syncthreads();
  }
}

// Read word by word where it lies among the kernel's parameters, so its own alignment counts.
struct alignas(16) Pattern {
  std::byte bytes[max_inline_pattern];
};

template <class Word, class Walk>
__global__ void fill_words(std::byte* to, const Walk walk, const typename Walk::Number words, const Pattern pattern) {
  const auto step = static_cast<typename Walk::Number>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<typename Walk::Number>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += step) {
    index_t t, offset;  // the "source" strides of a fill walk through the pattern
    walk.locate(i, t, offset);
    *reinterpret_cast<Word*>(to + t) = *reinterpret_cast<const Word*>(pattern.bytes + offset);
  }
}

/// The widest word, up to 16 bytes, that divides everything it has to.
index_t word_size(std::uintptr_t bits) {
  index_t size = 16;
  while ((bits & static_cast<std::uintptr_t>(size - 1)) != 0) size /= 2;
  return size;
}

template <class F>
auto with_word(index_t size, F&& f) {
  switch (size) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      return f(Wide{});
  }
}

/// The source's fastest axis among those before the last, if the source walks it in smaller steps than the last one.
std::size_t transposed_axis(const StridedCopy& copy) {
  const std::size_t last = copy.extents.size() - 1;
  std::size_t best = last;
  for (std::size_t axis = 0; axis < last; ++axis) {
    const index_t stride = std::abs(copy.from_strides[axis]);
    if (stride != 0 && copy.extents[axis] > 1 && stride < std::abs(copy.from_strides[best])) best = axis;
  }
  return best;
}

// Elements along one side of a pack: as much as a tile in 48 KiB of shared memory has room for.
template <class Element>
inline constexpr int pack_of = sizeof(Element) == 1   ? 4
                               : sizeof(Element) <= 4 ? 2
                                                      : 1;

bool is_on_sectors(const void* first, const Dims& strides, index_t across) {
  auto bits = reinterpret_cast<std::uintptr_t>(first) | static_cast<std::uintptr_t>(across);
  for (const index_t stride : strides) bits |= static_cast<std::uintptr_t>(stride);
  return bits % 32 == 0;
}

template <class Element>
FERRY_GPU(Error_t)
launch_transpose(const StridedCopy& copy, const Plane& plane, const Dims& extents, const Dims& to_strides,
                 const Dims& from_strides, int multiprocessors, FERRY_GPU(Stream_t) stream) {
  constexpr int pack = pack_of<Element>;
  constexpr index_t word = static_cast<index_t>(sizeof(Element)) * pack;
  // Words need their own alignment wherever a line of the plane begins, and elements that lie side by side.
  const auto takes_words = [&](const void* first, index_t along, index_t across, const Dims& strides) {
    auto bits = reinterpret_cast<std::uintptr_t>(first) | static_cast<std::uintptr_t>(across);
    for (const index_t stride : strides) bits |= static_cast<std::uintptr_t>(stride);
    return along == static_cast<index_t>(sizeof(Element)) && bits % static_cast<std::uintptr_t>(word) == 0;
  };
  const bool read_words = takes_words(copy.from, plane.from_row, plane.from_column, from_strides);
  const bool write_words = takes_words(copy.to, plane.to_column, plane.to_row, to_strides);
  const std::uint64_t planes = count(extents);
  const auto most = static_cast<std::uint64_t>(multiprocessors) * 64;
  if constexpr (sizeof(Element) == 4 || sizeof(Element) == 8) {
    using Tile = ShiftedTile<Element>;
    if (plane.to_column == static_cast<index_t>(sizeof(Element)) && plane.columns >= 2 * Tile::columns &&
        !is_on_sectors(copy.to, to_strides, plane.to_row)) {
      Plane shifted = plane;
      shifted.row_tiles = static_cast<std::uint32_t>((plane.rows + Tile::rows - 1) / Tile::rows);
      shifted.column_tiles =
          static_cast<std::uint32_t>((plane.columns + Tile::halo + Tile::columns - 1) / Tile::columns);
      const std::uint64_t of_all = planes * shifted.row_tiles * shifted.column_tiles;
      return with_walk(extents, to_strides, from_strides, 1, 0, planes, [&](const auto& walk, auto) {
        return launch_kernel(transpose_shifted<Element, std::decay_t<decltype(walk)>>,
                             dim3(static_cast<unsigned>(of_all < most ? of_all : most)), dim3(tile, tile_rows), stream,
                             copy.to, copy.from, shifted, walk, of_all);
      });
    }
  }
  const std::uint64_t tiles = planes * plane.row_tiles * plane.column_tiles;
  const dim3 grid(static_cast<unsigned>(tiles < most ? tiles : most)), block(tile, tile_rows);
  return with_walk(extents, to_strides, from_strides, 1, 0, planes, [&](const auto& walk, auto) {
    using Walk = std::decay_t<decltype(walk)>;
    const auto kernel = pack == 1 || (read_words && write_words) ? transpose_planes<Element, pack, true, true, Walk>
                        : read_words                             ? transpose_planes<Element, pack, true, false, Walk>
                        : write_words                            ? transpose_planes<Element, pack, false, true, Walk>
                                                                 : transpose_planes<Element, pack, false, false, Walk>;
    return launch_kernel(kernel, grid, block, stream, copy.to, copy.from, plane, walk, tiles);
  });
}

FERRY_GPU(Error_t)
transpose(const StridedCopy& copy, std::size_t row_axis, int multiprocessors, FERRY_GPU(Stream_t) stream) {
  const std::size_t last = copy.extents.size() - 1;
  Dims extents, to_strides, from_strides;
  for (std::size_t axis = 0; axis < last; ++axis) {
    if (axis == row_axis) continue;
    extents.push_back(copy.extents[axis]);
    to_strides.push_back(copy.to_strides[axis]);
    from_strides.push_back(copy.from_strides[axis]);
  }
  return with_word(copy.itemsize, [&](auto element) {
    using Element = decltype(element);
    const auto tiles_of = [](index_t n, int packs) {
      const index_t side = index_t{packs} * pack_of<Element>;
      return static_cast<std::uint32_t>((n + side - 1) / side);
    };
    const Plane plane{copy.extents[row_axis],
                      copy.extents[last],
                      copy.to_strides[row_axis],
                      copy.to_strides[last],
                      copy.from_strides[row_axis],
                      copy.from_strides[last],
                      tiles_of(copy.extents[row_axis], tile),
                      tiles_of(copy.extents[last], tile_columns)};
    return launch_transpose<Element>(copy, plane, extents, to_strides, from_strides, multiprocessors, stream);
  });
}

bool is_word(index_t itemsize) {
  return itemsize == 1 || itemsize == 2 || itemsize == 4 || itemsize == 8 || itemsize == 16;
}

}  // namespace

FERRY_GPU(Error_t) launch_copy(const StridedCopy& copy, int multiprocessors, FERRY_GPU(Stream_t) stream) {
  std::uint64_t elements = count(copy.extents);
  if (elements == 0 || copy.itemsize == 0) return FERRY_GPU(Success);
  auto bits = reinterpret_cast<std::uintptr_t>(copy.to) | reinterpret_cast<std::uintptr_t>(copy.from) |
              static_cast<std::uintptr_t>(copy.itemsize);
  for (std::size_t axis = 0; axis < copy.extents.size(); ++axis) {
    bits |= static_cast<std::uintptr_t>(copy.to_strides[axis]) | static_cast<std::uintptr_t>(copy.from_strides[axis]);
  }
  const index_t size = word_size(bits), words_of_item = copy.itemsize / size;
  if (words_of_item == 1 && is_word(copy.itemsize) && copy.extents.size() >= 2) {
    const std::size_t row_axis = transposed_axis(copy);
    // Of a few rows, most of each tile would lie idle.
    if (row_axis + 1 < copy.extents.size() && copy.extents[row_axis] >= 8 && copy.extents.back() >= 8) {
      return transpose(copy, row_axis, multiprocessors, stream);
    }
  }
  constexpr index_t long_run = 512;
  if (size < 16 && copy.itemsize >= long_run) {
    const auto of_run = static_cast<std::uint64_t>((copy.itemsize + run_stretch - 1) / run_stretch);
    const std::uint64_t stretches = elements * of_run, most = static_cast<std::uint64_t>(multiprocessors) * 32;
    if (of_run <= UINT32_MAX) {
      return with_walk(copy.extents, copy.to_strides, copy.from_strides, 1, 0, elements, [&](const auto& walk, auto) {
        return launch_kernel(copy_runs<std::decay_t<decltype(walk)>>,
                             static_cast<unsigned>(stretches < most ? stretches : most), threads_per_block, stream,
                             copy.to, copy.from, walk, copy.itemsize, stretches, static_cast<std::uint32_t>(of_run));
      });
    }
  }
  elements *= static_cast<std::uint64_t>(words_of_item);
  return with_word(size, [&](auto word) {
    using Word = decltype(word);
    return with_walk(copy.extents, copy.to_strides, copy.from_strides, words_of_item, size, elements,
                     [&](const auto& walk, auto words) {
                       return launch_kernel(copy_words<Word, std::decay_t<decltype(walk)>>,
                                            blocks_for(elements, multiprocessors, unrolled), threads_per_block, stream,
                                            copy.to, copy.from, walk, words);
                     });
  });
}

FERRY_GPU(Error_t) launch_fill(const StridedFill& fill, int multiprocessors, FERRY_GPU(Stream_t) stream) {
  std::uint64_t elements = count(fill.extents);
  if (elements == 0 || fill.itemsize == 0) return FERRY_GPU(Success);
  const Dims none = Dims::filled(fill.extents.size(), 0);
  auto bits = reinterpret_cast<std::uintptr_t>(fill.to) | static_cast<std::uintptr_t>(fill.itemsize);
  for (const index_t stride : fill.to_strides) bits |= static_cast<std::uintptr_t>(stride);
  const index_t size = word_size(bits), words_of_item = fill.itemsize / size;
  elements *= static_cast<std::uint64_t>(words_of_item);
  Pattern pattern;
  std::memcpy(pattern.bytes, fill.pattern, static_cast<std::size_t>(fill.itemsize));
  return with_word(size, [&](auto word) {
    using Word = decltype(word);
    return with_walk(
        fill.extents, fill.to_strides, none, words_of_item, size, elements, [&](const auto& walk, auto words) {
          return launch_kernel(fill_words<Word, std::decay_t<decltype(walk)>>, blocks_for(elements, multiprocessors),
                               threads_per_block, stream, fill.to, walk, words, pattern);
        });
  });
}

}  // namespace ferry::inline v0::backend::gpu
