// Group E: reshape and ravel.
#include "values.hpp"

namespace ferry::test {
namespace {

using Int64s = std::vector<std::int64_t>;

Shape reshaped(const Shape& from, const Shape& to) {
  return iota<std::int64_t>(from).reshape(to).shape();
}

// The text of the ShapeError that a reshape throws; empty when it throws none.
std::string refusal(const Shape& from, const Shape& to) {
  try {
    reshaped(from, to);
  } catch (const ShapeError& error) {
    return error.what();
  }
  return {};
}

TEST(FieldCases, C041_InferredAxisBesideZeroExtents) {
  EXPECT_THROW(reshaped({0, 3}, {0, -1}), ShapeError);
  EXPECT_THROW(reshaped({0, 0, 0}, {-1, 0}), ShapeError);
  EXPECT_THROW(reshaped({6}, {-1, 0}), ShapeError);
  EXPECT_EQ(reshaped({0, 3}, {-1, 3}), (Shape{0, 3}));
  EXPECT_EQ(reshaped({3, 0}, Shape{-1}), (Shape{0}));
  EXPECT_EQ(reshaped({0}, {-1, 4}), (Shape{0, 4}));
  EXPECT_EQ(reshaped({2, 0, 3}, {0, 5}), (Shape{0, 5}));
  EXPECT_THROW(reshaped({2, 0, 3}, {1, 5}), ShapeError);
  EXPECT_THROW(reshaped({5}, {0, 5}), ShapeError);
}

TEST(FieldCases, C042_UnknownExtents) {
  EXPECT_NE(refusal({23}, {-1, 2, 3}).find("(-1, 2, 3)"), std::string::npos) << refusal({23}, {-1, 2, 3});
  EXPECT_NE(refusal({23}, {-1, 2, 3}).find("(23,)"), std::string::npos);
  EXPECT_THROW(reshaped({6}, {-1, -1}), ShapeError);
  EXPECT_THROW(reshaped({6}, {-2, 3}), ShapeError);
  EXPECT_EQ(reshaped({1}, Shape()), Shape());
  EXPECT_EQ(reshaped(Shape(), Shape{-1}), (Shape{1}));
  EXPECT_THROW(reshaped({2, 3}, Shape{7}), ShapeError);
}

TEST(FieldCases, C042_MoreShapesThatDoNotFit) {
  EXPECT_THROW(reshaped({6}, {-2, -3}), ShapeError);
  EXPECT_THROW(reshaped({6}, {-1, -2}), ShapeError);
  EXPECT_THROW(reshaped({6}, Shape()), ShapeError);
  EXPECT_THROW(reshaped({6}, {INT64_MIN, 1}), ShapeError);
  // Products that wrap around to 6, to 0, and beside an unknown.
  EXPECT_THROW(reshaped({6}, {INT64_MAX, INT64_MAX, 6}), ShapeError);
  EXPECT_THROW(reshaped({0}, {1LL << 32, 1LL << 32}), ShapeError);
  EXPECT_THROW(reshaped({6}, {-1, 1LL << 32, 1LL << 32}), ShapeError);
  EXPECT_THROW(reshaped({0}, {0, 1LL << 32, 1LL << 32}), ShapeError);
  EXPECT_EQ(reshaped({24}, {2, -1, 3}), (Shape{2, 4, 3}));
}

TEST(FieldCases, C044_ReshapeOfReversedView) {
  const auto base = iota<std::int64_t>({6});
  const auto matrix = base(slice(none, none, -1)).reshape({2, 3}, Order::C, Copy::never);
  EXPECT_EQ(matrix.strides(), (Strides{-24, -8}));
  EXPECT_TRUE(starts_at(matrix, base, 40));
  EXPECT_EQ(values(matrix), (Int64s{5, 4, 3, 2, 1, 0}));
}

TEST(FieldCases, C044_ReshapeOfBroadcastView) {
  const auto base = iota<std::int64_t>({3});
  const auto repeated = base.as_strided({4, 3}, {0, 8});
  const auto split = repeated.reshape({2, 2, 3}, Order::C, Copy::never);
  EXPECT_EQ(split.strides(), (Strides{0, 0, 8}));
  EXPECT_TRUE(starts_at(split, base));
  EXPECT_THROW(repeated.reshape({12}, Order::C, Copy::never), LayoutError);
  const auto flat = repeated.reshape(12);
  EXPECT_NE(flat.handle().memory, base.handle().memory);
  EXPECT_EQ(values(flat), (Int64s{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(values(base.broadcast_to({4, 3}).reshape(12)), values(flat));
}

TEST(FieldCases, C044_ReshapeOfRepeatedScalar) {
  const auto base = full<std::int64_t>({}, 7, {.device = device()});
  const auto flat = base.broadcast_to({4, 3}).reshape({12}, Order::C, Copy::never);
  EXPECT_EQ(flat.strides(), (Strides{0}));
  EXPECT_TRUE(starts_at(flat, base));
  EXPECT_EQ(values(flat), Int64s(12, 7));
}

TEST(FieldCases, C044_FortranOrderReadsTheFirstAxisFastest) {
  const auto reversed = iota<std::int64_t>({6})(slice(none, none, -1));
  const auto matrix = reversed.reshape({2, 3}, Order::F, Copy::never);
  EXPECT_EQ(matrix.strides(), (Strides{-8, -16}));
  EXPECT_EQ(values(matrix), (Int64s{5, 3, 1, 4, 2, 0}));
  EXPECT_EQ(values(iota<std::int64_t>({2, 3}).reshape({3, 2}, Order::F)), (Int64s{0, 4, 3, 2, 1, 5}));
}

TEST(FieldCases, C045_RavelOfOneAxisIsTheSameMemory) {
  const auto array = iota<std::uint8_t>({10});
  for (const Order order : {Order::C, Order::F, Order::A, Order::K}) {
    const auto flat = array.ravel(order);
    EXPECT_EQ(flat.shape(), (Shape{10}));
    EXPECT_TRUE(starts_at(flat, array));
  }
  const auto copied = array.ravel(Order::C, Copy::always);
  EXPECT_NE(copied.handle().memory, array.handle().memory);
  EXPECT_EQ(values(copied), values(array));
}

TEST(FieldCases, C045_RavelInOrderA) {
  const auto array = iota<std::int32_t>({10, 12});
  const auto flat = array.ravel(Order::A, Copy::never);
  EXPECT_EQ(flat.shape(), (Shape{120}));
  EXPECT_TRUE(starts_at(flat, array));
}

TEST(FieldCases, C045_RavelOfTransposed) {
  const auto base = iota<std::int64_t>({2, 3});
  const auto transposed = base.transpose();
  EXPECT_THROW(transposed.ravel(Order::C, Copy::never), LayoutError);
  EXPECT_EQ(values(transposed.ravel()), (Int64s{0, 3, 1, 4, 2, 5}));
  for (const Order order : {Order::F, Order::A, Order::K}) {
    const auto flat = transposed.ravel(order, Copy::never);
    EXPECT_TRUE(starts_at(flat, base));
    EXPECT_EQ(values(flat), (Int64s{0, 1, 2, 3, 4, 5}));
  }
}

TEST(FieldCases, C045_RavelOfReversedColumns) {
  const auto reversed = iota<std::int64_t>({3, 4})(slice(), slice(none, none, -1));
  EXPECT_EQ(values(reversed.ravel(Order::F)), (Int64s{3, 7, 11, 2, 6, 10, 1, 5, 9, 0, 4, 8}));
  EXPECT_EQ(values(reversed.ravel(Order::C)), (Int64s{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
}

}  // namespace
}  // namespace ferry::test
