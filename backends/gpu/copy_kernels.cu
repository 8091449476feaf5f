// Copies and fills of strided elements, as words as wide as addresses and strides allow.
#include <cstdlib>
#include <cstring>
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

template <class Word, class Walk>
__global__ void copy_words(std::byte* to, const std::byte* from, const Walk walk, const typename Walk::Number words) {
  const auto step = static_cast<typename Walk::Number>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<typename Walk::Number>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += step) {
    index_t t, f;
    walk.locate(i, t, f);
    *reinterpret_cast<Word*>(to + t) = *reinterpret_cast<const Word*>(from + f);
  }
}

// A plane whose two sides run fastest along different axes goes through shared memory tile by tile, so that both are
// read and written along their own fast axis.
constexpr int tile = 32, tile_rows = 8;

struct Plane {
  index_t rows, columns;        // columns: the destination's fast axis; rows: the source's
  index_t to_row, to_column;    // strides in bytes
  index_t from_row, from_column;
  std::uint32_t row_tiles, column_tiles;
};

template <class Word, class Walk>
__global__ void __launch_bounds__(tile* tile_rows)
    transpose_planes(std::byte* to, const std::byte* from, const Plane plane, const Walk outer, const std::uint64_t tiles) {
  __shared__ Word block[tile][tile + 1];  // one more column: a column of the tile then lies in different banks
  const std::uint64_t tiles_of_plane = static_cast<std::uint64_t>(plane.row_tiles) * plane.column_tiles;
  for (std::uint64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    const std::uint64_t plane_number = number / tiles_of_plane;
    const auto in_plane = static_cast<std::uint32_t>(number - plane_number * tiles_of_plane);
    const std::uint32_t row_tile = in_plane / plane.column_tiles, column_tile = in_plane % plane.column_tiles;
    index_t t, f;
    outer.locate(static_cast<typename Walk::Number>(plane_number), t, f);
    const index_t row0 = static_cast<index_t>(row_tile) * tile, column0 = static_cast<index_t>(column_tile) * tile;
    for (int k = threadIdx.y; k < tile; k += tile_rows) {
      const index_t row = row0 + threadIdx.x, column = column0 + k;
      if (row < plane.rows && column < plane.columns) {
        block[k][threadIdx.x] =
            *reinterpret_cast<const Word*>(from + f + row * plane.from_row + column * plane.from_column);
      }
    }
    __syncthreads();
    for (int k = threadIdx.y; k < tile; k += tile_rows) {
      const index_t row = row0 + k, column = column0 + threadIdx.x;
      if (row < plane.rows && column < plane.columns) {
        *reinterpret_cast<Word*>(to + t + row * plane.to_row + column * plane.to_column) = block[threadIdx.x][k];
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
  const auto tiles_of = [](index_t n) { return static_cast<std::uint32_t>((n + tile - 1) / tile); };
  const Plane plane{copy.extents[row_axis],      copy.extents[last],           copy.to_strides[row_axis],
                    copy.to_strides[last],       copy.from_strides[row_axis],  copy.from_strides[last],
                    tiles_of(copy.extents[row_axis]), tiles_of(copy.extents[last])};
  const std::uint64_t planes = count(extents);
  const std::uint64_t tiles = planes * plane.row_tiles * plane.column_tiles;
  const auto most = static_cast<std::uint64_t>(multiprocessors) * 64;
  const dim3 grid(static_cast<unsigned>(tiles < most ? tiles : most)), block(tile, tile_rows);
  return with_word(copy.itemsize, [&](auto word) {
    using Word = decltype(word);
    return with_walk(extents, to_strides, from_strides, 1, 0, planes, [&](const auto& walk, auto) {
      return launch_kernel(transpose_planes<Word, std::decay_t<decltype(walk)>>, grid, block, stream, copy.to,
                           copy.from, plane, walk, tiles);
    });
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
                                            blocks_for(elements, multiprocessors), threads_per_block, stream, copy.to,
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
