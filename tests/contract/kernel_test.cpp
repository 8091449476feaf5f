// Shapes on which device kernels break: more axes than a launch has dimensions, more rows than a grid is high.
#include <algorithm>
#include <cstring>
#include <utility>

#include "contract/contract.hpp"

namespace ferry::test {

namespace {

/// An operation's axes. Targets have a gap behind each innermost row, so that axes do not merge and gaps are seen.
struct Walk {
  const char* name;
  Dims extents;
  Dims from_steps;  ///< source strides, counted in elements
  index_t itemsize;
};

/// A transposition reads along the slower axis; `order` is the source's axes from slowest to fastest.
Dims steps_of(const Dims& extents, std::initializer_list<std::size_t> order) {
  Dims steps = Dims::filled(extents.size(), 0);
  index_t step = 1;
  for (auto axis = std::rbegin(order); axis != std::rend(order); ++axis) {
    steps[*axis] = step;
    step *= extents[*axis];
  }
  return steps;
}

std::vector<Walk> walks() {
  std::vector<Walk> all;
  for (const index_t item : {1, 2, 4, 8, 16}) all.push_back({"transpose", {300, 257}, {1, 300}, item});
  for (const index_t item : {1, 2, 4, 8, 16})
    all.push_back({"transpose of planes", {5, 261, 130}, steps_of({5, 261, 130}, {0, 2, 1}), item});
  // Longer than any tile, and rows off any alignment.
  for (const index_t item : {1, 2, 4, 8}) all.push_back({"transpose of odd rows", {203, 517}, {1, 203}, item});
  all.push_back({"odd items, transposed", {129, 65}, {1, 129}, 3});
  all.push_back({"many rows", {70'000, 3}, {4, 1}, 4});
  all.push_back({"many rows, transposed", {70'000, 3}, {1, 70'000}, 4});
  all.push_back({"many columns, transposed", {3, 70'000}, {1, 3}, 4});
  all.push_back({"many rows in the middle", {2, 70'000, 3}, steps_of({2, 70'000, 3}, {1, 2, 0}), 2});
  all.push_back({"many planes", {70'000, 2, 3}, steps_of({70'000, 2, 3}, {2, 0, 1}), 2});
  all.push_back({"backwards", {1'000, 70}, {-80, -1}, 4});
  all.push_back({"one row repeated", {70'000, 5}, {0, 1}, 4});
  all.push_back({"one column repeated", {70'000, 5}, {1, 0}, 8});
  all.push_back({"one element repeated", {3, 100'000}, {0, 0}, 1});
  all.push_back({"five axes", {7, 5, 6, 11, 13}, steps_of({7, 5, 6, 11, 13}, {4, 1, 3, 0, 2}), 8});
  Dims twos = Dims::filled(16, 2), reversed = twos;
  for (std::size_t axis = 0; axis < 16; ++axis) reversed[axis] = index_t{1} << axis;
  all.push_back({"sixteen axes", twos, reversed, 4});
  return all;
}

/// Calls f(target offset, source offset) for each element.
template <class F>
void for_each_element(const Dims& extents, const Dims& to, const Dims& from, F&& f) {
  std::vector<index_t> index(extents.size(), 0);
  for (index_t t = 0, s = 0;;) {
    f(t, s);
    std::size_t axis = extents.size();
    for (; axis-- > 0;) {
      t += to[axis], s += from[axis];
      if (++index[axis] < extents[axis]) break;
      t -= to[axis] * extents[axis], s -= from[axis] * extents[axis];
      index[axis] = 0;
    }
    if (axis == SIZE_MAX) return;
  }
}

/// Strides of a C-ordered target, `gap` bytes behind each row; the bytes it spans come with them.
std::pair<Dims, std::size_t> target_of(const Dims& extents, index_t itemsize, index_t gap) {
  Dims strides = Dims::filled(extents.size(), itemsize);
  index_t stride = itemsize;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride = stride * extents[axis] + (axis + 1 == extents.size() ? gap : 0);
  }
  return {strides, static_cast<std::size_t>(stride)};
}

struct SourceWalk {
  Dims strides;
  std::size_t bytes;  // what it spans
  std::size_t first;  // where its first element lies in that span
};
SourceWalk source_of(const Walk& walk, index_t itemsize) {
  Dims strides = walk.from_steps;
  index_t low = 0, high = itemsize;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    strides[axis] *= itemsize;
    const index_t far = strides[axis] * (walk.extents[axis] - 1);
    (far < 0 ? low : high) += far;
  }
  return {strides, static_cast<std::size_t>(high - low), static_cast<std::size_t>(-low)};
}

Bytes noise(std::size_t n) {
  Bytes bytes(n);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  return bytes;
}

}  // namespace

class ContractKernels : public Contract {};
FERRY_CONTRACT(ContractKernels);

TEST_P(ContractKernels, CopyAnyShape) {
  for (const Walk& walk : walks()) {
    const auto [to_strides, to_bytes] = target_of(walk.extents, walk.itemsize, 3 * walk.itemsize);
    const SourceWalk origin = source_of(walk, walk.itemsize);
    const Block source(space, origin.bytes), target(space, to_bytes);
    const Bytes data = noise(origin.bytes);
    upload(source.get(), data);
    upload(target.get(), Bytes(to_bytes, 0xAA));
    space.copy_strided(
        {target.get(), source.get() + origin.first, walk.itemsize, walk.extents, to_strides, origin.strides}, nullptr);
    Bytes expected(to_bytes, 0xAA);
    const std::uint8_t* const from = data.data() + origin.first;
    for_each_element(walk.extents, to_strides, origin.strides,
                     [&](index_t t, index_t s) { std::copy_n(from + s, walk.itemsize, expected.data() + t); });
    EXPECT_TRUE(download(target.get(), to_bytes) == expected) << walk.name << ", items of " << walk.itemsize;
  }
}

// Runs that begin and end anywhere within the widest words.
TEST_P(ContractKernels, CopyLongRunsAtAnyAlignment) {
  constexpr index_t rows = 3, gap = 37;
  for (const index_t run : {512, 513, 1000, 20'011}) {
    const auto bytes = static_cast<std::size_t>(rows * (run + gap) + 32);
    const Block source(space, bytes), target(space, bytes);
    const Bytes data = noise(bytes);
    upload(source.get(), data);
    for (index_t to = 0; to<17; to += run> 1000 ? 5 : 1) {
      for (index_t from = 0; from < 17; from += 3) {
        upload(target.get(), Bytes(bytes, 0xAA));
        const index_t to_pitch = run + gap, from_pitch = run + to % 5;
        space.copy_strided({target.get() + to, source.get() + from, run, {rows}, {to_pitch}, {from_pitch}}, nullptr);
        Bytes expected(bytes, 0xAA);
        for (index_t row = 0; row < rows; ++row) {
          std::copy_n(data.data() + from + row * from_pitch, run, expected.data() + to + row * to_pitch);
        }
        ASSERT_EQ(download(target.get(), bytes), expected) << run << " bytes, " << from << " to " << to;
      }
    }
  }
}

TEST_P(ContractKernels, FillAnyShape) {
  for (const Walk& walk : walks()) {
    const auto [strides, bytes] = target_of(walk.extents, walk.itemsize, 3 * walk.itemsize);
    const Block target(space, bytes);
    upload(target.get(), Bytes(bytes, 0xAA));
    const Bytes pattern = iota(static_cast<std::size_t>(walk.itemsize), 1);
    space.fill_strided(
        {target.get(), walk.itemsize, walk.extents, strides, reinterpret_cast<const std::byte*>(pattern.data())},
        nullptr);
    Bytes expected(bytes, 0xAA);
    for_each_element(walk.extents, strides, strides,
                     [&](index_t t, index_t) { std::copy_n(pattern.data(), walk.itemsize, expected.data() + t); });
    EXPECT_TRUE(download(target.get(), bytes) == expected) << walk.name << ", items of " << walk.itemsize;
  }
}

TEST_P(ContractKernels, ConvertAnyShape) {
  for (const Walk& walk : walks()) {
    if (walk.itemsize != 4) continue;  // one shape of each sort is enough: the types have a suite of their own
    const auto [to_strides, to_bytes] = target_of(walk.extents, 8, 24);
    const SourceWalk origin = source_of(walk, 4);
    const Block source(space, origin.bytes), target(space, to_bytes);
    const Bytes data = noise(origin.bytes);
    upload(source.get(), data);
    upload(target.get(), Bytes(to_bytes, 0xAA));
    space.convert_strided({target.get(), source.get() + origin.first, dtype_of<std::int64_t>(),
                           dtype_of<std::int32_t>(), walk.extents, to_strides, origin.strides},
                          nullptr);
    Bytes expected(to_bytes, 0xAA);
    for_each_element(walk.extents, to_strides, origin.strides, [&](index_t t, index_t s) {
      std::int32_t value;
      std::memcpy(&value, data.data() + static_cast<index_t>(origin.first) + s, sizeof value);
      const std::int64_t wide = value;
      std::memcpy(expected.data() + t, &wide, sizeof wide);
    });
    EXPECT_TRUE(download(target.get(), to_bytes) == expected) << walk.name;
  }
}

TEST_P(ContractKernels, C013_PitchedWithTwoMillionRowsWithinTheDevice) {
  constexpr std::size_t rows = 2'000'000, width = 3, from_pitch = 5, to_pitch = 4;
  const Bytes data = noise(rows * from_pitch);
  const Block source(space, rows * from_pitch), target(space, rows * to_pitch);
  upload(source.get(), data);
  upload(target.get(), Bytes(rows * to_pitch, 0xAA));
  space.copy_pitched(target.get(), to_pitch, source.get(), from_pitch, width, rows, nullptr);
  const Bytes back = download(target.get(), rows * to_pitch);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < back.size(); ++i) {
    const std::size_t row = i / to_pitch, column = i % to_pitch;
    wrong += back[i] != (column < width ? data[row * from_pitch + column] : 0xAA);
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace ferry::test
