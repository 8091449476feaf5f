// Views that rearrange axes: permute, transpose, squeeze, flip, broadcast_to.
#include "unit/layout_support.hpp"

namespace ferry::test {
namespace {

using layouts::broadcast_to;
using layouts::flip;
using layouts::permute;
using layouts::squeeze;
using layouts::transpose;

const Layout cube = Layout::contiguous({2, 3, 4}, 8);  // strides (96, 32, 8)

TEST(LayoutPermute, AxisOfTheResultIsTheOneNamed) {
  expect_layout(permute(cube, {2, 0, 1}), {4, 2, 3}, {8, 96, 32});
  expect_layout(permute(cube, {-1, 0, -2}), {4, 2, 3}, {8, 96, 32});
  EXPECT_EQ(permute(cube, {0, 1, 2}), cube);
  EXPECT_EQ(permute(Layout(), Axes()), Layout());
  expect_layout(permute(cube.with_offset(40), {1, 0, 2}), {3, 2, 4}, {32, 96, 8}, 40);
}

TEST(LayoutPermute, AxesOutOfRangeOrTwice) {
  expect_names(message_of<ShapeError>([] { permute(cube, {0, 1, 3}); }), {"permute", "axis 3", "(2, 3, 4)"});
  expect_names(message_of<ShapeError>([] { permute(cube, {0, 1, 1}); }), {"permute", "twice", "(0, 1, 1)"});
  message_of<ShapeError>([] { permute(cube, {0, 2, -1}); });
  message_of<ShapeError>([] { permute(cube, {-4, 1, 2}); });
  expect_names(message_of<ShapeError>([] { permute(cube, {0, 1}); }), {"(0, 1)", "(2, 3, 4)"});
  message_of<ShapeError>([] { permute(cube, {0, 1, 2, 3}); });
  message_of<ShapeError>([] { permute(Layout(), {0}); });
}

TEST(LayoutPermute, Rank64) {
  Axes rotated = Axes::uninitialised(64);
  for (std::size_t i = 0; i < 64; ++i) rotated[i] = static_cast<index_t>((i + 1) % 64);
  Shape shape = Shape::filled(64, 1);
  shape[0] = 5;
  const Layout result = permute(Layout::contiguous(shape, 8), rotated);
  EXPECT_EQ(result.shape()[63], 5);
  rotated[63] = 63;
  message_of<ShapeError>([&] { permute(Layout::contiguous(shape, 8), rotated); });
}

TEST(LayoutTranspose, ReversesTheAxes) {
  expect_layout(transpose(cube), {4, 3, 2}, {8, 32, 96});
  EXPECT_EQ(transpose(transpose(cube)), cube);
  EXPECT_EQ(transpose(Layout()), Layout());
  expect_layout(transpose(Layout::strided({2, 0}, {-5, 7}, 1, 3)), {0, 2}, {7, -5}, 3);
}

TEST(LayoutSqueeze, DropsUnitAxes) {
  const Layout layout = Layout::strided({1, 3, 1, 4, 1}, {7, 32, -9, 8, 0}, 8, 16);
  expect_layout(squeeze(layout), {3, 4}, {32, 8}, 16);
  expect_layout(squeeze(layout, {0}), {3, 1, 4, 1}, {32, -9, 8, 0}, 16);
  expect_layout(squeeze(layout, {-1, 2}), {1, 3, 4}, {7, 32, 8}, 16);
  EXPECT_EQ(squeeze(layout, Axes()), layout);
  expect_layout(squeeze(Layout::contiguous({1, 1}, 8)), {}, {});
  expect_layout(squeeze(Layout::contiguous({0, 1}, 8)), {0}, {8});
  EXPECT_EQ(squeeze(Layout()), Layout());
}

TEST(LayoutSqueeze, NamedAxesMustHaveLengthOne) {
  const Layout layout = Layout::contiguous({1, 3, 0}, 8);
  expect_names(message_of<ShapeError>([&] { squeeze(layout, {1}); }), {"squeeze", "axis 1", "length 3", "(1, 3, 0)"});
  message_of<ShapeError>([&] { squeeze(layout, {0, 2}); });
  message_of<ShapeError>([&] { squeeze(layout, {3}); });
  message_of<ShapeError>([&] { squeeze(layout, {-4}); });
  message_of<ShapeError>([&] { squeeze(layout, {0, -3}); });
  message_of<ShapeError>([] { squeeze(Layout(), {0}); });
}

TEST(LayoutFlip, StartsAtTheOtherEnd) {
  expect_layout(flip(cube, 0), {2, 3, 4}, {-96, 32, 8}, 96);
  expect_layout(flip(cube, -1), {2, 3, 4}, {96, 32, -8}, 24);
  EXPECT_EQ(flip(flip(cube, 1), 1), cube);
  expect_layout(flip(broadcast_to(Layout::contiguous({3}, 8), {4, 3}), 0), {4, 3}, {0, 8}, 0);
}

TEST(LayoutFlip, NothingToReverse) {
  const Layout unit = Layout::strided({1, 2}, {INT64_MIN, 8}, 8);
  EXPECT_TRUE(flip(unit, 0).same_elements(unit));
  const Layout empty = Layout::strided({0, 10}, {1, INT64_MIN}, 8, 80);
  EXPECT_EQ(flip(empty, 1).shape(), empty.shape());
  EXPECT_EQ(flip(empty, 1).offset(), 80);
}

TEST(LayoutFlip, AxisOutOfRange) {
  expect_names(message_of<ShapeError>([] { flip(cube, 3); }), {"flip", "axis 3", "(2, 3, 4)"});
  message_of<ShapeError>([] { flip(cube, -4); });
  message_of<ShapeError>([] { flip(cube, INT64_MIN); });
  message_of<ShapeError>([] { flip(Layout(), 0); });
}

TEST(LayoutBroadcast, RepeatsWithStrideZero) {
  expect_layout(broadcast_to(Layout::contiguous({4}, 8), {2, 4}), {2, 4}, {0, 8});
  expect_layout(broadcast_to(Layout::contiguous({3, 1}, 8), {3, 5}), {3, 5}, {8, 0});
  expect_layout(broadcast_to(Layout::contiguous({}, 8).with_offset(56), {2, 3}), {2, 3}, {0, 0}, 56);
  EXPECT_EQ(broadcast_to(cube, {2, 3, 4}), cube);
  const Layout column = Layout::strided({3, 1}, {8, 77}, 8);
  EXPECT_EQ(broadcast_to(column, {3, 1}), column);
  EXPECT_EQ(broadcast_to(Layout(), Shape()), Layout());
  // Signs and gaps of the axes that stay are kept.
  expect_layout(broadcast_to(Layout::strided({3}, {-24}, 8, 48), {2, 3}), {2, 3}, {0, -24}, 48);
}

TEST(LayoutBroadcast, ToNothingAndOfNothing) {
  EXPECT_EQ(broadcast_to(Layout::contiguous({1}, 8), {0}).shape(), (Shape{0}));
  EXPECT_EQ(broadcast_to(Layout::contiguous({0}, 8), {5, 0}).shape(), (Shape{5, 0}));
  EXPECT_EQ(broadcast_to(Layout(), {0, 3}).size(), 0);
}

TEST(LayoutBroadcast, ShapesThatDoNotFit) {
  expect_names(message_of<ShapeError>([] {
                 broadcast_to(Layout::contiguous({3}, 8), {2, 4});
               }),
               {"broadcast_to", "(3,)", "(2, 4)"});
  message_of<ShapeError>([] { broadcast_to(Layout::contiguous({3}, 8), {3, 1}); });
  message_of<ShapeError>([] { broadcast_to(Layout::contiguous({3}, 8), {0}); });
  message_of<ShapeError>([] { broadcast_to(Layout::contiguous({0}, 8), {1}); });
  message_of<ShapeError>([] { broadcast_to(cube, {3, 4}); });
  message_of<ShapeError>([] { broadcast_to(Layout::contiguous({1}, 8), {-1}); });
  message_of<ShapeError>([] { broadcast_to(Layout(), {-2}); });
}

// No memory grows, but the number of elements and their bytes must stay countable.
TEST(LayoutBroadcast, SizesThatOverflow) {
  const index_t half = index_t{1} << 32;
  EXPECT_EQ(broadcast_to(Layout(), {INT64_MAX}).size(), INT64_MAX);
  message_of<ShapeError>([&] { broadcast_to(Layout(), {half, half}); });
  message_of<ShapeError>([] { broadcast_to(Layout::contiguous({}, 8), {INT64_MAX}); });
  message_of<ShapeError>([&] { broadcast_to(Layout(), {0, half, half}); });
}

}  // namespace
}  // namespace ferry::test
