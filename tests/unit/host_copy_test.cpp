// Host copies large enough to be written past the caches, in every position of their rows to the cache lines.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "ferry/backend/strided.hpp"

namespace {

using namespace ferry;

// rows × columns elements of `itemsize` bytes, transposed from dense columns into rows that are `pitch` bytes apart and
// begin `shift` bytes behind a cache line. Nothing but the elements may change.
void expect_transposed(index_t itemsize, index_t rows, index_t columns, index_t pitch, index_t shift,
                       index_t from_pad) {
  SCOPED_TRACE(::testing::Message() << "itemsize " << itemsize << ", " << rows << " x " << columns << ", pitch "
                                    << pitch << ", shift " << shift << ", source padded by " << from_pad);
  const index_t from_pitch = rows * itemsize + from_pad, margin = 256;
  std::vector<unsigned char> source(static_cast<std::size_t>(columns * from_pitch));
  std::uint64_t state = 88172645463325252u;
  for (unsigned char& byte : source) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    byte = static_cast<unsigned char>(state);
  }
  std::vector<unsigned char> target(static_cast<std::size_t>(rows * pitch + 2 * margin), 0xa5);
  unsigned char* to = target.data() + margin;
  to += (64 - static_cast<index_t>(reinterpret_cast<std::uintptr_t>(to) % 64)) % 64 + shift;

  std::vector<unsigned char> expected = target;
  unsigned char* const at = expected.data() + (to - target.data());
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      for (index_t byte = 0; byte < itemsize; ++byte) {
        at[i * pitch + j * itemsize + byte] = source[static_cast<std::size_t>(j * from_pitch + i * itemsize + byte)];
      }
    }
  }
  backend::host_copy({reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(source.data()), itemsize,
                      Dims{rows, columns}, Dims{pitch, itemsize}, Dims{itemsize, from_pitch}});
  // Said by the first place that differs: the arrays are megabytes.
  std::size_t first = 0;
  while (first < target.size() && target[first] == expected[first]) ++first;
  ASSERT_EQ(first, target.size()) << "byte " << static_cast<index_t>(first) - (to - target.data()) << " of the target";
}

TEST(HostCopy, TranspositionsIntoWholeLines) {
  for (const index_t itemsize : {1, 2, 4, 8}) {
    const index_t edge = 64 / itemsize;
    expect_transposed(itemsize, (32 * itemsize + 1) * edge + 3, 2048 / itemsize, 2048, 0, 0);
    expect_transposed(itemsize, (33 * itemsize) * edge, 2048 / itemsize + 1, 2048 + 64, 0, 5);
  }
}

TEST(HostCopy, TranspositionsIntoRowsThatBeginWithinALine) {
  for (const index_t itemsize : {1, 2, 4, 8}) {
    const index_t edge = 64 / itemsize, columns = 2047 / itemsize + 1;
    for (const index_t shift : {index_t{1}, 64 - itemsize}) {
      // Rows all alike to the lines; and each in another place, also off the elements' own alignment.
      expect_transposed(itemsize, (32 * itemsize + 1) * edge + 1, columns, 2048 + 64, shift, 0);
      expect_transposed(itemsize, (32 * itemsize + 1) * edge + 1, columns, 2048 + itemsize + 1, shift, 3);
    }
  }
}

// Fewer columns than a line holds, and exactly one line.
TEST(HostCopy, TranspositionsOfNarrowMatrices) {
  for (const index_t itemsize : {1, 2, 4, 8}) {
    const index_t edge = 64 / itemsize;
    for (const index_t columns : {edge - 1, edge, edge + 1}) {
      const index_t rows = (index_t{5} << 20) / (columns * itemsize);
      expect_transposed(itemsize, rows, columns, columns * itemsize, 0, 0);
      expect_transposed(itemsize, rows, columns, columns * itemsize + 1, 7, 0);
    }
  }
}

}  // namespace
