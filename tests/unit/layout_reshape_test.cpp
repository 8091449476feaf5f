// reshape: the inferred extent, and which shapes a view can express.
#include "unit/layout_support.hpp"

namespace ferry::test {
namespace {

using layouts::infer_shape;

// The strides of the view, or "copy" when there is none.
std::string reshaped(const Layout& layout, const Shape& shape, Order order = Order::C) {
  Layout result;
  if (!layouts::try_reshape(layout, shape, order, result)) return "copy";
  EXPECT_EQ(result.shape(), shape);
  EXPECT_EQ(result.offset(), layout.offset());
  EXPECT_EQ(result.size(), layout.size());
  EXPECT_EQ(result.itemsize(), layout.itemsize());
  return result.strides().to_string();
}

Shape inferred(const Shape& from, const Shape& to) {
  return infer_shape(Layout::contiguous(from, 8), to);
}

std::string refusal(const Shape& from, const Shape& to) {
  return message_of<ShapeError>([&] { inferred(from, to); });
}

TEST(LayoutInferShape, FillsInTheOneUnknown) {
  EXPECT_EQ(inferred({1000}, {-1, 50}), (Shape{20, 50}));
  EXPECT_EQ(inferred({24}, {2, -1, 3}), (Shape{2, 4, 3}));
  EXPECT_EQ(inferred({2, 3}, Shape{-1}), (Shape{6}));
  EXPECT_EQ(inferred({}, {-1, 1}), (Shape{1, 1}));
  EXPECT_EQ(inferred({6}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(inferred({1, 1}, {}), Shape());
}

TEST(LayoutInferShape, BesideZeroExtents) {
  refusal({0, 3}, {0, -1});
  refusal({0, 0, 0}, {-1, 0});
  refusal({6}, {-1, 0});
  EXPECT_EQ(inferred({0, 3}, {-1, 3}), (Shape{0, 3}));
  EXPECT_EQ(inferred({3, 0}, Shape{-1}), (Shape{0}));
  EXPECT_EQ(inferred({0}, {-1, 4}), (Shape{0, 4}));
  EXPECT_EQ(inferred({2, 0, 3}, {0, 5}), (Shape{0, 5}));
}

TEST(LayoutInferShape, ErrorsNameBothShapesAsAsked) {
  expect_names(refusal({23}, {-1, 2, 3}), {"(23,)", "(-1, 2, 3)", "23 elements"});
  expect_names(refusal({6}, {-1, -1}), {"(6,)", "(-1, -1)"});
  expect_names(refusal({6}, {-2, 3}), {"(-2, 3)", "negative"});
  expect_names(refusal({2, 3}, Shape{7}), {"(2, 3)", "(7,)"});
  refusal({6}, {});
  refusal({6}, {0});
  refusal({0}, {1});
  refusal({6}, {INT64_MIN, -1});
}

TEST(LayoutInferShape, ProductsThatWrapAround) {
  const index_t half = index_t{1} << 32;
  refusal({0}, {half, half});
  refusal({1}, {half, half, 1});
  refusal({6}, {-1, half, half});
  refusal({6}, {INT64_MAX, INT64_MAX, 6});   // 6 modulo 2^64
  refusal({6}, {-1, INT64_MAX, INT64_MAX});  // 1 modulo 2^64
}

TEST(LayoutReshape, DenseArrays) {
  const Layout flat = Layout::contiguous({24}, 8).with_offset(16);
  EXPECT_EQ(reshaped(flat, {2, 3, 4}), "(96, 32, 8)");
  EXPECT_EQ(reshaped(flat, {2, 3, 4}, Order::F), "(8, 16, 48)");
  EXPECT_EQ(reshaped(Layout::contiguous({4, 6}, 8), {3, 8}), "(64, 8)");
  EXPECT_EQ(reshaped(Layout::contiguous({4, 6}, 8, Order::F), {3, 8}, Order::F), "(8, 24)");
}

TEST(LayoutReshape, TheOtherOrderNeedsACopy) {
  EXPECT_EQ(reshaped(Layout::contiguous({4, 6}, 8), {24}, Order::F), "copy");
  EXPECT_EQ(reshaped(Layout::contiguous({4, 6}, 8, Order::F), {24}), "copy");
  EXPECT_EQ(reshaped(Layout::contiguous({4, 6}, 8, Order::F), {4, 6}), "(8, 32)");  // nothing is merged
}

TEST(LayoutReshape, OrderAFollowsTheOperand) {
  EXPECT_EQ(reshaped(Layout::contiguous({3, 2}, 8, Order::F), {6}, Order::A), "(8,)");
  EXPECT_EQ(reshaped(Layout::contiguous({3, 2}, 8), {6}, Order::A), "(8,)");
  EXPECT_EQ(reshaped(Layout::strided({3, 2}, {8, 32}, 8), {6}, Order::A), "copy");
  EXPECT_EQ(reshaped(Layout::contiguous({6}, 8), {2, 3}, Order::A), "(24, 8)");  // both contiguities: C
}

TEST(LayoutReshape, ReversedAndRepeatedArrays) {
  EXPECT_EQ(reshaped(Layout::strided({6}, {-8}, 8, 40), {2, 3}), "(-24, -8)");
  EXPECT_EQ(reshaped(Layout::strided({6}, {-8}, 8, 40), {2, 3}, Order::F), "(-8, -16)");
  EXPECT_EQ(reshaped(Layout::strided({2, 3}, {-24, -8}, 8, 40), {6}), "(-8,)");
  EXPECT_EQ(reshaped(Layout::strided({2, 3}, {-24, 8}, 8, 24), {6}), "copy");
  EXPECT_EQ(reshaped(Layout::strided({4, 3}, {0, 8}, 8), {2, 2, 3}), "(0, 0, 8)");
  EXPECT_EQ(reshaped(Layout::strided({4, 3}, {0, 8}, 8), {12}), "copy");
  EXPECT_EQ(reshaped(Layout::strided({4, 3}, {0, 0}, 8), {12}), "(0,)");
}

TEST(LayoutReshape, GapsBetweenRows) {
  const Layout padded = Layout::strided({4, 6}, {64, 8}, 8);
  EXPECT_EQ(reshaped(padded, {2, 2, 3, 2}), "(128, 64, 16, 8)");
  EXPECT_EQ(reshaped(padded, {24}), "copy");
  EXPECT_EQ(reshaped(padded, {8, 3}), "copy");
  EXPECT_EQ(reshaped(Layout::strided({4, 6}, {96, 16}, 8), {8, 3}), "(48, 16)");
  // Every second element, over more than two axes: they merge while each continues the run of all before it.
  EXPECT_EQ(reshaped(Layout::strided({2, 3, 4}, {192, 64, 16}, 8), {24}), "(16,)");
  EXPECT_EQ(reshaped(Layout::strided({2, 3, 4}, {200, 64, 16}, 8), {24}), "copy");
  EXPECT_EQ(reshaped(Layout::strided({4, 3, 2}, {16, 64, 192}, 8), {24}, Order::F), "(16,)");
  // Two pairs of axes, each dense in itself.
  EXPECT_EQ(reshaped(Layout::strided({2, 3, 4, 5}, {3000, 1000, 40, 8}, 8), {6, 20}), "(1000, 8)");
  EXPECT_EQ(reshaped(Layout::strided({2, 3, 4, 5}, {3000, 1000, 40, 8}, 8), {3, 40}), "copy");
}

TEST(LayoutReshape, UnitAxesNeverMatter) {
  const Layout odd = Layout::strided({1, 4, 1, 6, 1}, {5, 64, -3, 8, 1}, 8);
  Layout result;
  ASSERT_TRUE(layouts::try_reshape(odd, {4, 1, 1, 2, 3, 1}, Order::C, result));
  EXPECT_TRUE(result.same_elements(Layout::strided({4, 1, 1, 2, 3, 1}, {64, 0, 0, 24, 8, 0}, 8)));
  EXPECT_EQ(reshaped(Layout::contiguous({}, 8), {}), "()");
  ASSERT_TRUE(layouts::try_reshape(Layout::contiguous({}, 8).with_offset(24), {1, 1}, Order::F, result));
  EXPECT_TRUE(result.is_c_contiguous() && result.is_f_contiguous());
  EXPECT_EQ(result.offset(), 24);
}

TEST(LayoutReshape, EmptyArraysHaveTheStridesOfDenseOnes) {
  EXPECT_EQ(reshaped(Layout::strided({0, 3}, {-7, 1000}, 8, 16), {3, 0, 2}), "(16, 16, 8)");
  EXPECT_EQ(reshaped(Layout::strided({0, 3}, {-7, 1000}, 8, 16), {3, 0, 2}, Order::F), "(8, 24, 24)");
  const index_t half = index_t{1} << 32;
  Layout result;
  message_of<ShapeError>([&] { layouts::try_reshape(Layout::contiguous({0}, 8), {0, half, half}, Order::C, result); });
}

TEST(LayoutReshape, ARefusalLeavesTheResultAlone) {
  Layout result = Layout::contiguous({7}, 2);
  EXPECT_FALSE(layouts::try_reshape(Layout::contiguous({4, 6}, 8), {24}, Order::F, result));
  EXPECT_EQ(result, Layout::contiguous({7}, 2));
}

TEST(LayoutReshape, StridesNearTheLimit) {
  const index_t quarter = index_t{1} << 62;
  const Layout wide = Layout::strided({2}, {quarter}, 8, -quarter);
  EXPECT_EQ(reshaped(wide, {2, 1}), "(4611686018427387904, 8)");
  Layout result;
  ASSERT_TRUE(layouts::try_reshape(wide, {1, 2}, Order::C, result));
  EXPECT_EQ(result.byte_range(), wide.byte_range());
  EXPECT_EQ(reshaped(Layout::strided({2, 2}, {8, quarter}, 8, -quarter), {4}), "copy");
}

TEST(LayoutReshape, Rank64) {
  const Layout layout = Layout::contiguous(Shape::filled(40, 2), 8);
  EXPECT_EQ(reshaped(layout, {index_t{1} << 40}), "(8,)");
  Shape wide = Shape::filled(64, 1);
  wide[63] = index_t{1} << 40;
  Layout result;
  ASSERT_TRUE(layouts::try_reshape(layout, wide, Order::C, result));
  EXPECT_EQ(result.ndim(), 64U);
  EXPECT_TRUE(result.is_c_contiguous());
}

}  // namespace
}  // namespace ferry::test
