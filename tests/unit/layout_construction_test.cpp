// Layouts from shapes and strides, and what they say of themselves.
#include "unit/layout_support.hpp"

namespace ferry::test {
namespace {

constexpr index_t two_to_62 = index_t{1} << 62;

TEST(LayoutConstruction, DefaultIsOneByte) {
  expect_layout(Layout(), Shape(), Strides());
  EXPECT_EQ(Layout().itemsize(), 1);
}

TEST(LayoutConstruction, DenseInEachOrder) {
  expect_layout(Layout::contiguous({2, 3, 4}, 8), {2, 3, 4}, {96, 32, 8});
  expect_layout(Layout::contiguous({2, 3, 4}, 8, Order::F), {2, 3, 4}, {8, 16, 48});
  expect_layout(Layout::contiguous({2, 3}, 4, Order::A), {2, 3}, {12, 4});
  expect_layout(Layout::contiguous({2, 3}, 4, Order::K), {2, 3}, {12, 4});
  expect_layout(Layout::contiguous({}, 16), {}, {});
  expect_layout(Layout::contiguous({5, 1, 2}, 3), {5, 1, 2}, {6, 6, 3});
}

TEST(LayoutConstruction, StridesOfEmptyArraysCountExtentsAsOne) {
  expect_layout(Layout::contiguous({0, 2048}, 4), {0, 2048}, {8192, 4});
  expect_layout(Layout::contiguous({3, 0, 2}, 4), {3, 0, 2}, {8, 8, 4});
  expect_layout(Layout::contiguous({3, 0, 2}, 4, Order::F), {3, 0, 2}, {4, 12, 12});
  expect_layout(Layout::contiguous({0}, 8), {0}, {8});
}

TEST(LayoutConstruction, NegativeExtents) {
  expect_names(message_of<ShapeError>([] { Layout::contiguous({2, -3}, 8); }), {"(2, -3)", "negative"});
  message_of<ShapeError>([] { Layout::contiguous({0, -1}, 8); });
  message_of<ShapeError>([] { Layout::contiguous({INT64_MIN}, 8); });
  message_of<ShapeError>([] { Layout::strided({-1}, {8}, 8); });
}

TEST(LayoutConstruction, NegativeItemSize) {
  expect_names(message_of<ShapeError>([] { Layout::contiguous({2, 3}, -8); }), {"(2, 3)", "-8"});
  message_of<ShapeError>([] { Layout::strided({2}, {8}, -1); });
}

TEST(LayoutConstruction, SizesUpTo63Bits) {
  EXPECT_EQ(Layout::contiguous({INT64_MAX}, 1).nbytes(), INT64_MAX);
  EXPECT_EQ(Layout::contiguous({two_to_62 - 1, 2}, 1).size(), INT64_MAX - 1);
  EXPECT_EQ(Layout::contiguous({two_to_62 / 8}, 8).nbytes(), two_to_62);
  expect_names(message_of<ShapeError>([] { Layout::contiguous({two_to_62, 2}, 1); }), {"(4611686018427387904, 2)"});
  // 2^63 elements, 2^64 elements (0 modulo 2^64), and bytes that overflow where elements do not.
  message_of<ShapeError>([] { Layout::contiguous({index_t{1} << 32, index_t{1} << 31}, 1); });
  message_of<ShapeError>([] { Layout::contiguous({index_t{1} << 32, index_t{1} << 32}, 8); });
  message_of<ShapeError>([] { Layout::contiguous({two_to_62 / 4}, 8); });
  message_of<ShapeError>([] { Layout::contiguous({two_to_62}, 8, Order::F); });
}

TEST(LayoutConstruction, AnExtentOfZeroExcusesNoOverflow) {
  message_of<ShapeError>([] { Layout::contiguous({0, two_to_62, two_to_62}, 1); });
  message_of<ShapeError>([] { Layout::contiguous({two_to_62, two_to_62, 0}, 1); });
  message_of<ShapeError>([] { Layout::strided({0, two_to_62}, {0, 0}, 8); });
}

TEST(LayoutConstruction, AnyStrides) {
  expect_layout(Layout::strided({3, 4}, {-32, 8}, 8, 64), {3, 4}, {-32, 8}, 64);
  expect_layout(Layout::strided({3, 4}, {0, 9}, 8), {3, 4}, {0, 9});
  expect_layout(Layout::strided({}, {}, 4, -12), {}, {}, -12);
  EXPECT_EQ(Layout::strided({3, 4}, {-32, 8}, 8, 64).at(Dims{2, 3}.data()), 24);
}

TEST(LayoutConstruction, RanksOfShapeAndStridesMustAgree) {
  expect_names(message_of<ShapeError>([] { Layout::strided({3, 4}, {8}, 8); }), {"(3, 4)", "(8,)"});
  message_of<ShapeError>([] { Layout::strided({}, {8}, 8); });
}

TEST(LayoutConstruction, StridesThatReachTooFar) {
  expect_names(message_of<LayoutError>([] {
                 Layout::strided({3, 2}, {two_to_62, 1}, 8);
               }),
               {"(3, 2)", "(4611686018427387904, 1)"});
  message_of<LayoutError>([] { Layout::strided({2}, {INT64_MIN}, 8); });
  message_of<LayoutError>([] { Layout::strided({2}, {INT64_MAX}, 8); });
  message_of<LayoutError>([] { Layout::strided({2, 2}, {two_to_62, -two_to_62}, 8); });  // the span, though no offset
  message_of<LayoutError>([] { Layout::strided({1}, {8}, 8, INT64_MAX - 7); });
  message_of<LayoutError>([] { Layout::strided({2}, {-8}, 8, INT64_MIN + 7); });
  message_of<LayoutError>([] { Layout::strided({0}, {8}, 8, INT64_MAX); });
  EXPECT_EQ(Layout::strided({1}, {8}, 8, INT64_MAX - 8).byte_range().end, INT64_MAX);
}

TEST(LayoutConstruction, UnitAxesAndEmptyArraysHaveAnyStrides) {
  EXPECT_EQ(Layout::strided({1, 2}, {INT64_MIN, 8}, 8).byte_range(), (ByteRange{0, 16}));
  EXPECT_EQ(Layout::strided({0, 9}, {INT64_MIN, INT64_MAX}, 8, 40).byte_range(), (ByteRange{40, 40}));
}

TEST(LayoutConstruction, Rank64) {
  const Layout wide = Layout::contiguous(Shape::filled(64, 1), 8);
  EXPECT_EQ(wide.ndim(), 64U);
  EXPECT_TRUE(wide.is_c_contiguous() && wide.is_f_contiguous());
  EXPECT_EQ(Layout::contiguous(Shape::filled(62, 2), 1).size(), two_to_62);
  message_of<ShapeError>([] { Layout::contiguous(Shape::filled(63, 2), 1); });
}

TEST(LayoutConstruction, WithOffset) {
  const Layout layout = Layout::strided({3}, {-8}, 8, 16);
  expect_layout(layout.with_offset(116), {3}, {-8}, 116);
  message_of<LayoutError>([&] { static_cast<void>(layout.with_offset(INT64_MIN)); });
}

TEST(LayoutDenseLike, FollowsTheOrderAskedFor) {
  const Layout fortran = Layout::contiguous({2, 3}, 8, Order::F).with_offset(64);
  expect_layout(fortran.dense_like(Order::C), {2, 3}, {24, 8});
  expect_layout(fortran.dense_like(Order::F), {2, 3}, {8, 16});
  expect_layout(fortran.dense_like(Order::A), {2, 3}, {8, 16});
  expect_layout(fortran.dense_like(Order::K), {2, 3}, {8, 16});
  expect_layout(fortran.dense_like(Order::F, 2), {2, 3}, {2, 4});
  // Both contiguities, and none: A means C.
  expect_layout(Layout::contiguous({1, 3}, 8, Order::F).dense_like(Order::A), {1, 3}, {24, 8});
  expect_layout(Layout::strided({2, 3}, {8, 32}, 8).dense_like(Order::A), {2, 3}, {24, 8});
  message_of<ShapeError>([] { static_cast<void>(Layout::contiguous({two_to_62}, 1).dense_like(Order::K, 2)); });
}

TEST(LayoutDenseLike, KKeepsTheOrderOfAxes) {
  const Layout permuted = layouts::permute(Layout::contiguous({2, 3, 4}, 8), {1, 2, 0});
  expect_layout(permuted.dense_like(Order::K), {3, 4, 2}, {32, 8, 96});
  // Gaps close, signs are dropped, equal strides stay in C order.
  expect_layout(Layout::strided({4, 3}, {-16, 1000}, 8, 48).dense_like(Order::K), {4, 3}, {8, 32});
  expect_layout(Layout::strided({3, 4}, {8, 8}, 8).dense_like(Order::K), {3, 4}, {32, 8});
}

TEST(LayoutDenseLike, KLeavesAxesThatSayNothingWhereTheyAre) {
  expect_layout(Layout::strided({2, 4}, {0, 8}, 8).dense_like(Order::K), {2, 4}, {32, 8});
  expect_layout(Layout::strided({4, 2}, {8, 0}, 8).dense_like(Order::K), {4, 2}, {16, 8});
  // The strides of unit axes, however odd, decide nothing.
  expect_layout(Layout::strided({1, 4, 3}, {8, 0, 16}, 8).dense_like(Order::K), {1, 4, 3}, {96, 24, 8});
  expect_layout(Layout::strided({1, 3}, {INT64_MIN, 8}, 8).dense_like(Order::K), {1, 3}, {24, 8});
  EXPECT_TRUE(Layout::strided({0, 3}, {INT64_MIN, INT64_MIN}, 8).dense_like(Order::K).empty());
}

TEST(LayoutQueries, Contiguity) {
  const auto flags = [](const Layout& layout) {
    return std::string(layout.is_c_contiguous() ? "C" : "") + (layout.is_f_contiguous() ? "F" : "");
  };
  EXPECT_EQ(flags(Layout::contiguous({2, 3}, 8)), "C");
  EXPECT_EQ(flags(Layout::contiguous({2, 3}, 8, Order::F)), "F");
  EXPECT_EQ(flags(Layout::contiguous({3}, 8)), "CF");
  EXPECT_EQ(flags(Layout()), "CF");
  EXPECT_EQ(flags(Layout::strided({3}, {-8}, 8, 16)), "");
  EXPECT_EQ(flags(Layout::strided({3}, {16}, 8)), "");
  EXPECT_EQ(flags(Layout::strided({3}, {0}, 8)), "");
  // Axes of length 1 are ignored, empty arrays have no gaps.
  EXPECT_EQ(flags(Layout::strided({2, 1, 3}, {24, 77, 8}, 8)), "C");
  EXPECT_EQ(flags(Layout::strided({1, 3, 1}, {-5, 8, 0}, 8)), "CF");
  EXPECT_EQ(flags(Layout::strided({1, 1}, {1, 2}, 8)), "CF");
  EXPECT_EQ(flags(Layout::strided({0, 3}, {5, -6}, 8)), "CF");
  // A padded leading dimension is neither.
  EXPECT_EQ(flags(Layout::strided({10, 3}, {8, 128}, 8)), "");
}

TEST(LayoutQueries, ByteRangeIsTheSpanAndNotTheProduct) {
  EXPECT_EQ(Layout::contiguous({3, 4}, 8).byte_range(), (ByteRange{0, 96}));
  EXPECT_EQ(Layout::strided({3, 4}, {16, 8}, 8).byte_range().size(), 64);  // overlapping windows on 8 elements
  EXPECT_EQ(Layout::strided({2, 3}, {64, 8}, 8).byte_range().size(), 88);  // 11 elements with a gap
  EXPECT_EQ(Layout::strided({5, 3}, {32, 8}, 8).byte_range().size(), 19 * 8);
  EXPECT_EQ(Layout::strided({3, 2}, {-16, 8}, 4, 40).byte_range(), (ByteRange{8, 52}));
  EXPECT_EQ(Layout::strided({4}, {0}, 8, 24).byte_range(), (ByteRange{24, 32}));
  EXPECT_TRUE(Layout::strided({4, 0}, {8, 8}, 8, 24).byte_range().empty());
}

TEST(LayoutQueries, Alignment) {
  const Layout packed = Layout::strided({3}, {9}, 8, 1);  // the double in a packed {char, double}
  EXPECT_TRUE(packed.is_aligned(1));
  EXPECT_FALSE(packed.is_aligned(8));
  EXPECT_FALSE(Layout::strided({3}, {16}, 8, 4).is_aligned(8));
  EXPECT_TRUE(Layout::strided({3}, {-16}, 8, 48).is_aligned(16));
  EXPECT_TRUE(Layout::strided({1, 3}, {9, 8}, 8).is_aligned(8));
  EXPECT_TRUE(Layout::strided({0}, {9}, 8, 1).is_aligned(8));
}

TEST(LayoutQueries, SameElements) {
  const Layout row = Layout::strided({1, 3}, {24, 8}, 8);
  EXPECT_TRUE(row.same_elements(Layout::strided({1, 3}, {-7, 8}, 8)));
  EXPECT_FALSE(row == Layout::strided({1, 3}, {-7, 8}, 8));
  EXPECT_FALSE(row.same_elements(Layout::strided({1, 3}, {24, 16}, 8)));
  EXPECT_FALSE(row.same_elements(row.with_offset(8)));
  EXPECT_FALSE(row.same_elements(Layout::strided({3, 1}, {8, 8}, 8)));
  EXPECT_FALSE(row.same_elements(Layout::strided({1, 3}, {24, 8}, 4)));
  EXPECT_TRUE(Layout::strided({0, 3}, {4, 0}, 4).same_elements(Layout::strided({0, 3}, {0, 9}, 4)));
}

TEST(LayoutQueries, Text) {
  EXPECT_EQ(Layout::contiguous({3, 4}, 8).to_string(), "shape (3, 4), strides (32, 8) bytes");
  EXPECT_EQ(Layout().to_string(), "shape (), strides () bytes");
}

}  // namespace
}  // namespace ferry::test
