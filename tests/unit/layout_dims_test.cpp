// Dims: the list of integers behind shapes, strides and axes.
#include <array>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "unit/layout_support.hpp"

namespace ferry::test {
namespace {

static_assert(std::is_nothrow_default_constructible_v<Dims>);
static_assert(std::is_nothrow_move_constructible_v<Dims> && std::is_nothrow_move_assignable_v<Dims>);
static_assert(std::is_nothrow_move_constructible_v<Layout> && std::is_nothrow_move_assignable_v<Layout>);
static_assert(std::is_convertible_v<std::vector<int>, Dims> && std::is_convertible_v<int, Dims>);
static_assert(!std::is_constructible_v<Dims, double> && !std::is_constructible_v<Dims, bool>);
static_assert(!std::is_convertible_v<std::vector<double>, Dims>);
static_assert(!std::is_constructible_v<Bound, double> && !std::is_constructible_v<IndexEntry, bool>);
static_assert(std::is_trivially_copyable_v<Slice> && std::is_trivially_copyable_v<IndexEntry>);
static_assert(IndexLike<int> && IndexLike<Slice> && IndexLike<const NewAxis&> && IndexLike<Ellipsis>);
static_assert(!IndexLike<bool> && !IndexLike<double> && !IndexLike<None>);

Dims counting(std::size_t count) {
  Dims dims = Dims::uninitialised(count);
  std::iota(dims.begin(), dims.end(), index_t{0});
  return dims;
}

TEST(LayoutDims, TakesIntegersOfAnyType) {
  const std::uint32_t n = 4'000'000'000U;
  const Dims dims{n, std::int8_t{-3}, std::size_t{7}, 5};
  EXPECT_EQ(dims.size(), 4U);
  EXPECT_EQ(dims[0], 4'000'000'000);
  EXPECT_EQ(dims[1], -3);
  EXPECT_EQ(dims.front(), 4'000'000'000);
  EXPECT_EQ(dims.back(), 5);
}

TEST(LayoutDims, OneIntegerIsAListOfOne) {
  const Dims dims = 20;
  EXPECT_EQ(dims, (Dims{20}));
  EXPECT_EQ(dims.size(), 1U);
  EXPECT_TRUE(Dims().empty());
}

TEST(LayoutDims, TakesRanges) {
  EXPECT_EQ(Dims(std::vector<int>{1, -2, 3}), (Dims{1, -2, 3}));
  EXPECT_EQ(Dims(std::array<std::uint16_t, 2>{65535, 1}), (Dims{65535, 1}));
  EXPECT_EQ(Dims(std::vector<std::int64_t>{}), Dims());
  EXPECT_EQ(Dims::filled(3, -7), (Dims{-7, -7, -7}));
}

TEST(LayoutDims, UnsignedBeyondTheSignedRange) {
  EXPECT_EQ((Dims{std::uint64_t{INT64_MAX}, 1}).front(), INT64_MAX);
  const std::uint64_t wide = std::uint64_t{1} << 63;
  expect_names(message_of<ShapeError>([&] { Dims{wide, 1}; }), {"9223372036854775808"});
  message_of<ShapeError>([&] { return Dims(std::vector<std::uint64_t>{1, UINT64_MAX}); });
}

TEST(LayoutDims, At64AxesTheListIsFull) {
  Dims dims = counting(63);
  dims.push_back(63);
  EXPECT_EQ(dims, counting(64));
  expect_names(message_of<ShapeError>([&] { dims.push_back(64); }), {"65", "64"});
  EXPECT_EQ(dims, counting(64)) << "a push_back that threw must not change the list";
  message_of<ShapeError>([] { return Dims::filled(65, 1); });
  message_of<ShapeError>([] { return Dims(std::vector<int>(65, 1)); });
}

// Either side of the eight that need no heap.
TEST(LayoutDims, CopiesAndMovesAcrossTheInlineRank) {
  for (const std::size_t from : {0U, 3U, 8U, 9U, 64U}) {
    for (const std::size_t to : {0U, 3U, 8U, 9U, 64U}) {
      Dims copied = counting(to), moved = counting(to), source = counting(from);
      copied = source;
      EXPECT_EQ(copied, counting(from));
      EXPECT_EQ(source, counting(from));
      moved = std::move(source);
      EXPECT_EQ(moved, counting(from));
      const Dims constructed(std::move(moved));
      EXPECT_EQ(constructed, counting(from));
      moved = counting(to);  // what was moved from may be given a value again
      EXPECT_EQ(moved, counting(to));
    }
  }
  Dims self = counting(12);
  const Dims& alias = self;
  self = alias;
  EXPECT_EQ(self, counting(12));
}

TEST(LayoutDims, InsertsAndErases) {
  Dims dims{1, 2, 3};
  dims.insert(0, 10);
  dims.insert(2, 20);
  dims.insert(5, 30);
  EXPECT_EQ(dims, (Dims{10, 1, 20, 2, 3, 30}));
  dims.erase(5);
  dims.erase(0);
  dims.erase(1);
  EXPECT_EQ(dims, (Dims{1, 2, 3}));
  Dims nine = counting(9);
  nine.erase(0);
  EXPECT_EQ(nine, (Dims{1, 2, 3, 4, 5, 6, 7, 8}));
  nine.insert(0, 0);
  EXPECT_EQ(nine, counting(9));
}

TEST(LayoutDims, EqualityLooksAtLengthAndValues) {
  EXPECT_FALSE((Dims{1, 2}) == (Dims{1, 2, 3}));
  EXPECT_FALSE((Dims{1, 2}) == (Dims{2, 1}));
  EXPECT_FALSE(Dims() == (Dims{0}));
}

TEST(LayoutDims, PrintsAsPythonDoes) {
  EXPECT_EQ(Dims().to_string(), "()");
  EXPECT_EQ(Dims{3}.to_string(), "(3,)");
  EXPECT_EQ((Dims{3, -4, 0}).to_string(), "(3, -4, 0)");
  EXPECT_EQ((Dims{INT64_MIN, INT64_MAX}).to_string(), "(-9223372036854775808, 9223372036854775807)");
}

}  // namespace
}  // namespace ferry::test
