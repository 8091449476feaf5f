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
  for (auto first = static_cast<Number>(blockIdx.x) * blockDim.x * unrolled + threadIdx.x; first < words; first += step) {
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

// A plane whose two sides run fastest along different axes goes through shared memory tile by tile, so that both are
// read and written along their own fast axis: the source along its rows' axis, the target along its columns'.
//
// A tile is 32 by 32 packs; a pack is Pack elements along one axis, moved as one word where alignment allows, since a
// warp that moves single bytes keeps too few of them under way. A thread reads a block of Pack by Pack elements as words
// along the source's axis and turns it in registers into words along the target's.
constexpr int tile = 32, tile_rows = 8;

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

template <class Element, int Pack, bool ReadWords, bool WriteWords, class Walk>
__global__ void __launch_bounds__(tile* tile_rows)
    transpose_planes(std::byte* to, const std::byte* from, const Plane plane, const Walk outer, const std::uint64_t tiles) {
  using Word = typename PackedWord<Element, Pack>::type;
  constexpr int passes = tile / tile_rows;
  // One more column: a column of the tile then lies in different banks.
  __shared__ Word block[Pack * tile][tile + 1];
  const int lane = static_cast<int>(threadIdx.x);
  const std::uint64_t tiles_of_plane = static_cast<std::uint64_t>(plane.row_tiles) * plane.column_tiles;
  for (std::uint64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    const std::uint64_t plane_number = number / tiles_of_plane;
    const auto in_plane = static_cast<std::uint32_t>(number - plane_number * tiles_of_plane);
    const std::uint32_t row_tile = in_plane / plane.column_tiles, column_tile = in_plane % plane.column_tiles;
    index_t t, f;
    outer.locate(static_cast<typename Walk::Number>(plane_number), t, f);
    const index_t row0 = static_cast<index_t>(row_tile) * tile * Pack;
    const index_t column0 = static_cast<index_t>(column_tile) * tile * Pack;

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
              for (int q = 0; q < Pack; ++q) {
                if (row + q >= plane.rows) break;
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
#pragma unroll
      for (int k = 0; k < Pack; ++k) {
        Word turned = words[p][k];
        if constexpr (ReadWords && Pack > 1) {
          turned = 0;
#pragma unroll
          for (int q = 0; q < Pack; ++q) {
            const Element element = element_of<Element, Pack>(words[p][q], k);
            turned |= static_cast<Word>(element) << (8 * sizeof(Element) * static_cast<unsigned>(q));
          }
        }
        block[k * tile + lane][pack] = turned;
      }
    }
    __syncthreads();
    for (int slot = static_cast<int>(threadIdx.y); slot < Pack * tile; slot += tile_rows) {
      const int within = ReadWords ? slot % tile * Pack + slot / tile : slot;
      const index_t row = row0 + within;
      if (row >= plane.rows) continue;
      std::byte* const line = to + t + row * plane.to_row;
      if constexpr (WriteWords) {
        const index_t column = column0 + static_cast<index_t>(lane) * Pack;
        if (column + Pack <= plane.columns) {
          *reinterpret_cast<Word*>(line + column * plane.to_column) = block[slot][lane];
        } else if constexpr (Pack > 1) {
          for (int q = 0; q < Pack; ++q) {
            if (column + q >= plane.columns) break;
            *reinterpret_cast<Element*>(line + (column + q) * plane.to_column) =
                element_of<Element, Pack>(block[slot][lane], q);
          }
        }
      } else {
#pragma unroll
        for (int q = 0; q < Pack; ++q) {
          const int column = q * tile + lane;
          if (column0 + column >= plane.columns) continue;
          *reinterpret_cast<Element*>(line + (column0 + column) * plane.to_column) =
              element_of<Element, Pack>(block[slot][column / Pack], column % Pack);
        }
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

// Elements along one side of a pack: words of 8 bytes, or of 4 for single bytes.
template <class Element>
inline constexpr int pack_of = sizeof(Element) == 1 ? 4 : sizeof(Element) == 2 ? 4 : sizeof(Element) == 4 ? 2 : 1;

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
  const std::uint64_t tiles = planes * plane.row_tiles * plane.column_tiles;
  const auto most = static_cast<std::uint64_t>(multiprocessors) * 64;
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

FERRY_GPU(Error_t) transpose(const StridedCopy& copy, std::size_t row_axis, int multiprocessors,
                             FERRY_GPU(Stream_t) stream) {
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
    const auto tiles_of = [](index_t n) {
      constexpr index_t side = index_t{tile} * pack_of<Element>;
      return static_cast<std::uint32_t>((n + side - 1) / side);
    };
    const Plane plane{copy.extents[row_axis],           copy.extents[last],           copy.to_strides[row_axis],
                      copy.to_strides[last],            copy.from_strides[row_axis],  copy.from_strides[last],
                      tiles_of(copy.extents[row_axis]), tiles_of(copy.extents[last])};
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
  elements *= static_cast<std::uint64_t>(words_of_item);
  return with_word(size, [&](auto word) {
    using Word = decltype(word);
    return with_walk(copy.extents, copy.to_strides, copy.from_strides, words_of_item, size, elements,
                     [&](const auto& walk, auto words) {
                       return launch_kernel(copy_words<Word, std::decay_t<decltype(walk)>>,
                                            blocks_for(elements, multiprocessors, unrolled), threads_per_block, stream, copy.to,
                                            copy.from, walk, words);
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
    return with_walk(fill.extents, fill.to_strides, none, words_of_item, size, elements,
                     [&](const auto& walk, auto words) {
                       return launch_kernel(fill_words<Word, std::decay_t<decltype(walk)>>,
                                            blocks_for(elements, multiprocessors), threads_per_block, stream, fill.to,
                                            walk, words, pattern);
                     });
  });
}

}  // namespace ferry::inline v0::backend::gpu
