// Group E: split, and pointers to what is not contiguous.
#include "values.hpp"

namespace ferry::test {
namespace {

using Parts = std::vector<std::vector<std::int64_t>>;

NDArray<std::int64_t> line(index_t n) {
  return iota<std::int64_t>({n});
}

TEST(FieldCases, C047_SplitByIndices) {
  EXPECT_EQ(values(split_at(line(5), {2, 9})), (Parts{{0, 1}, {2, 3, 4}, {}}));
  EXPECT_EQ(values(split_at(line(5), {3, 1})), (Parts{{0, 1, 2}, {}, {1, 2, 3, 4}}));
  EXPECT_EQ(values(split_at(line(5), Dims{-2})), (Parts{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(values(split_at(line(5), Dims())), (Parts{{0, 1, 2, 3, 4}}));
}

TEST(FieldCases, C047_SplitByIndicesAtTheEdges) {
  EXPECT_EQ(values(split_at(line(5), {0, 0})), (Parts{{}, {}, {0, 1, 2, 3, 4}}));
  EXPECT_EQ(values(split_at(line(5), {-99, 99})), (Parts{{}, {0, 1, 2, 3, 4}, {}}));
  EXPECT_EQ(values(split_at(line(5), {INT64_MIN, INT64_MAX})), (Parts{{}, {0, 1, 2, 3, 4}, {}}));
  EXPECT_EQ(values(split_at(iota<std::int64_t>({2, 3}), Dims{1}, -1)), (Parts{{0, 3}, {1, 2, 4, 5}}));
}

TEST(FieldCases, C047_SplitIntoParts) {
  EXPECT_EQ(values(array_split(line(4), 7)), (Parts{{0}, {1}, {2}, {3}, {}, {}, {}}));
  EXPECT_EQ(values(array_split(line(7), 3)), (Parts{{0, 1, 2}, {3, 4}, {5, 6}}));
  EXPECT_THROW(array_split(line(8), 0), ShapeError);
  EXPECT_THROW(array_split(line(8), -1), ShapeError);
}

TEST(FieldCases, C047_SplitIntoEqualParts) {
  EXPECT_EQ(values(split_equally(line(6), 3)), (Parts{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(values(split_equally(iota<std::int64_t>({2, 4}), 2, -1)), (Parts{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(split_equally(line(0), 2).size(), 2u);
  EXPECT_THROW(split_equally(line(7), 3), ShapeError);
  EXPECT_THROW(split_equally(line(2), 4), ShapeError);
  EXPECT_THROW(split_equally(line(8), 0), ShapeError);
  EXPECT_THROW(split_equally(line(8), 2, 1), ShapeError);
}

TEST(FieldCases, C047_MorePartsThanAnyMemoryHolds) {
  EXPECT_THROW(array_split(line(4), 1LL << 62), ShapeError);
  EXPECT_THROW(array_split(line(4), INT64_MAX), ShapeError);
  EXPECT_THROW(line(1).broadcast_to({1LL << 58}).split(1), ShapeError);
  EXPECT_THROW(split_equally(line(1).broadcast_to({1LL << 58}), 1LL << 57), ShapeError);
}

TEST(FieldCases, C047_SplitOfEmptyArrays) {
  const auto parts = split_at(device_array<float>({0, 3}, {.device = device()}), Dims{1});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].shape(), (Shape{0, 3}));
  EXPECT_EQ(parts[1].shape(), (Shape{0, 3}));
  EXPECT_EQ(array_split(line(0), 2).size(), 2u);
  EXPECT_TRUE(line(0).split(3).empty());
}

TEST(FieldCases, C047_SplitIntoSections) {
  EXPECT_EQ(values(line(7).split(3)), (Parts{{0, 1, 2}, {3, 4, 5}, {6}}));
  EXPECT_EQ(values(line(6).split(3)), (Parts{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(values(line(3).split(INT64_MAX)), (Parts{{0, 1, 2}}));
  EXPECT_THROW(line(8).split(0), ShapeError);
  EXPECT_THROW(line(8).split(-3), ShapeError);
}

TEST(FieldCases, C047_PartsAreViews) {
  const auto array = line(7);
  const auto parts = array.split(3);
  EXPECT_TRUE(starts_at(parts[1], array, 24));
  parts[1].fill(-1);
  EXPECT_EQ(values(array), (std::vector<std::int64_t>{0, 1, 2, -1, -1, -1, 6}));
}

TEST(FieldCases, C048_ContiguousPointerOfAStridedView) {
  const auto array = iota<std::int64_t>({4, 6});
  const auto view = array(slice(), slice(none, none, 2));
  EXPECT_THROW(view.contiguous_data(), LayoutError);
  EXPECT_EQ(view.data(), array.data());
  EXPECT_EQ(view.strides(), (Strides{48, 16}));
  EXPECT_EQ(array.contiguous_data(), array.data());
}

TEST(FieldCases, C048_OtherViewsThatAreNotContiguous) {
  const auto array = iota<std::int64_t>({4, 6});
  EXPECT_THROW(array.transpose().contiguous_data(), LayoutError);
  EXPECT_THROW(array.flip(0).contiguous_data(), LayoutError);
  EXPECT_THROW(array(slice(), 1).contiguous_data(), LayoutError);
  EXPECT_THROW(array(0).broadcast_to({4, 6}).contiguous_data(), LayoutError);
  EXPECT_THROW(arange(10)(slice(none, none, 2)).contiguous_data(), LayoutError);
  EXPECT_EQ(array(1).contiguous_data(), array.data() + 6);
  EXPECT_EQ(array(slice(1, 3)).contiguous_data(), array.data() + 6);
}

}  // namespace
}  // namespace ferry::test
