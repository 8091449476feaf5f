// Group B: source and destination in the same memory, and views whose elements alias each other.
#include <algorithm>

#include "values.hpp"

namespace ferry::test {
namespace {

using Int32s = std::vector<std::int32_t>;
using Int64s = std::vector<std::int64_t>;

TEST(FieldCases, C016_LargeOverlappingShifts) {
  constexpr std::int32_t n = 1'048'577;
  const auto forward = iota<std::int32_t>({n}), backward = iota<std::int32_t>({n}), by_two = iota<std::int32_t>({n});
  forward(slice(1, none)).assign(forward(slice(-1)));
  backward(slice(-1)).assign(backward(slice(1, none)));
  by_two(slice(2, none)).assign(by_two(slice(-2)));
  const Int32s f = values(forward), b = values(backward), t = values(by_two);
  EXPECT_EQ(f.front(), 0);
  EXPECT_EQ(f.back(), 1'048'575);
  EXPECT_EQ(b.back(), 1'048'576);
  for (std::int32_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    ASSERT_EQ(f[at], i >= 1 ? i - 1 : 0);
    ASSERT_EQ(b[at], i + 1 < n ? i + 1 : i);
    ASSERT_EQ(t[at], i >= 2 ? i - 2 : i);
  }
}

TEST(FieldCases, C016_EverySmallShift) {
  constexpr index_t n = 10;
  for (index_t shift = -9; shift <= 9; ++shift) {
    Int32s expected;
    for (index_t i = 0; i < n; ++i) {
      const index_t from = i - shift;
      expected.push_back(static_cast<std::int32_t>(from >= 0 && from < n ? from : i));
    }
    const index_t to_first = std::max<index_t>(shift, 0), from_first = std::max<index_t>(-shift, 0);
    const index_t count = n - to_first - from_first;
    for (const bool on_stream : {false, true}) {
      const auto array = iota<std::int32_t>({n});
      const Stream stream = on_stream ? Stream(device()) : Stream();
      array(slice(to_first, to_first + count)).assign(array(slice(from_first, from_first + count)), stream).wait();
      EXPECT_EQ(values(array), expected) << "shift " << shift;
    }
  }
}

TEST(FieldCases, C016_ReversalInPlaceAndTranspose) {
  const auto line = iota<std::int32_t>({6});
  line.assign(line(slice(none, none, -1)));
  EXPECT_EQ(values(line), (Int32s{5, 4, 3, 2, 1, 0}));
  const auto square = iota<std::int32_t>({3, 3});
  square.copy_to_device(square.transpose());
  EXPECT_EQ(values(square), (Int32s{0, 3, 6, 1, 4, 7, 2, 5, 8}));
  const auto every_second = iota<std::int32_t>({8});
  every_second(slice(4)).assign(every_second(slice(none, none, 2)));
  EXPECT_EQ(values(every_second), (Int32s{0, 2, 4, 6, 4, 5, 6, 7}));
}

TEST(FieldCases, C019_SourceRowInsideTheDestination) {
  const auto all = iota<std::int64_t>({3, 4});
  all.assign(all(0));
  EXPECT_EQ(values(all), (Int64s{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  const auto shifted = iota<std::int64_t>({3, 4});
  shifted(slice(1, none)).assign(shifted(slice(0, 2)));
  EXPECT_EQ(values(shifted), (Int64s{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(FieldCases, C019_OtherSourcesInsideTheDestination) {
  const auto last_row = iota<std::int64_t>({3, 4});
  last_row.assign(last_row(-1));
  EXPECT_EQ(values(last_row), (Int64s{8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11}));
  const auto column = iota<std::int64_t>({3, 4});
  column.assign(column(slice(), slice(1, 2)));
  EXPECT_EQ(values(column), (Int64s{1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9}));
  const auto element = iota<std::int64_t>({3, 4});
  element.assign(element(1, 2));
  EXPECT_EQ(values(element), Int64s(12, 6));
}

TEST(FieldCases, C020_AliasingDestinationIsRefused) {
  const auto one = full<float>({1}, 42.0F, {.device = device()});
  const auto ten = one.as_strided({10}, {0});
  const std::vector<float> digits{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_THROW(ten.copy_to_device(digits), LayoutError);
  EXPECT_THROW(ten.copy_to_device(iota<float>({10})), LayoutError);
  EXPECT_THROW(ten.copy_to_device(digits, device().default_stream()), LayoutError);
  EXPECT_THROW(ten.assign(iota<float>({1})), LayoutError);
  EXPECT_THROW(ten.fill(1.0F), LayoutError);
  EXPECT_EQ(values(one), (std::vector<float>{42}));
  EXPECT_EQ(values(ten), std::vector<float>(10, 42.0F));
}

TEST(FieldCases, C020_BroadcastViewsAreReadOnly) {
  const auto one = full<float>({1}, 42.0F, {.device = device()});
  const auto ten = one.broadcast_to({10});
  static_assert(std::is_same_v<decltype(ten)::element_type, const float>);
  EXPECT_EQ(values(ten), std::vector<float>(10, 42.0F));
}

TEST(FieldCases, C020_OverlappingWindowsAndHostDestinations) {
  const auto array = iota<std::int32_t>({8});
  const auto windows = array.as_strided({3, 4}, {8, 4});
  EXPECT_THROW(windows.copy_to_device(iota<std::int32_t>({3, 4})), LayoutError);
  EXPECT_EQ(values(array), (Int32s{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(values(windows), (Int32s{0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7}));
  std::int32_t target = 42;
  EXPECT_THROW(array.copy_to_host(host_view(&target, {8}, {0})), LayoutError);
  EXPECT_EQ(target, 42);
  EXPECT_THROW(device_array<float>({10}, {.strides = {0}, .device = device()}), LayoutError);
  // One element repeated once is no aliasing, whatever its stride.
  array.as_strided({1}, {0}).fill(9);
  EXPECT_EQ(array.item(0), 9);
}

TEST(FieldCases, C023_SpanIsNotTheProductOfTheExtents) {
  EXPECT_EQ(values(iota<std::int32_t>({8}).as_strided({3, 4}, {8, 4})), (Int32s{0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7}));
  EXPECT_THROW(iota<std::int32_t>({7}).as_strided({3, 4}, {8, 4}), LayoutError);
  EXPECT_EQ(values(iota<std::int32_t>({11}).as_strided({2, 3}, {32, 4})), (Int32s{0, 1, 2, 8, 9, 10}));
  EXPECT_THROW(iota<std::int32_t>({10}).as_strided({2, 3}, {32, 4}), LayoutError);
}

TEST(FieldCases, C023_NegativeStridesAndOffsets) {
  const auto array = iota<std::int32_t>({11});
  EXPECT_EQ(values(array.as_strided({2, 3}, {-32, 4}, 32)), (Int32s{8, 9, 10, 0, 1, 2}));
  EXPECT_THROW(array.as_strided({2, 3}, {-32, 4}, 28), LayoutError);
  EXPECT_THROW(array.as_strided({2, 3}, {32, 4}, 4), LayoutError);
  EXPECT_THROW(array.as_strided({1}, {4}, -4), LayoutError);
  EXPECT_THROW(array.as_strided({1}, {4}, INT64_MAX), LayoutError);
  // A view may reach back into the allocation beyond the view that it is made from.
  EXPECT_EQ(values(array(slice(5, none)).as_strided({3}, {4}, -20)), (Int32s{0, 1, 2}));
  // Empty views need no byte at all.
  EXPECT_EQ(array.as_strided({0, 5}, {1'000'000, 4}).size(), 0);
}

}  // namespace
}  // namespace ferry::test
