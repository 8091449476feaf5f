// Group A: copies between arrays of different strides.
#include "values.hpp"

namespace ferry::test {
namespace {

using Int64s = std::vector<std::int64_t>;

TEST(FieldCases, C002_BroadcastSourceArrivesDense) {
  const Int64s base{0, 1, 2, 3};
  DirectResource resource(device().space(), MemoryKind::device);
  const auto array = to_device(host_view(base.data(), {2, 4}, {0, 8}), {.device = device(), .resource = &resource});
  EXPECT_EQ(resource.stats().live_bytes, 64u);
  EXPECT_EQ(array.strides(), (Strides{32, 8}));
  EXPECT_TRUE(array.is_c_contiguous());
  EXPECT_EQ(layouts::self_overlap(array.layout()), layouts::Overlap::no);
  const auto fresh = array.copy_to_host();
  EXPECT_TRUE(fresh.is_c_contiguous());
  EXPECT_EQ(values(fresh), (Int64s{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(FieldCases, C002_BroadcastLastAndAllAxes) {
  const Int64s base{0, 1, 2, 3};
  const auto columns = to_device(host_view(base.data(), {4, 2}, {8, 0}), {.device = device()});
  EXPECT_EQ(columns.strides(), (Strides{16, 8}));
  EXPECT_EQ(values(columns), (Int64s{0, 0, 1, 1, 2, 2, 3, 3}));
  const auto one = to_device(host_view(&base[3], {2, 2}, {0, 0}), {.device = device()});
  EXPECT_EQ(one.strides(), (Strides{16, 8}));
  EXPECT_EQ(values(one), (Int64s{3, 3, 3, 3}));
  // The same on the device itself: a broadcast view becomes dense when copied.
  const auto spread = iota<std::int64_t>({4}).broadcast_to({2, 4});
  EXPECT_EQ(spread.copy().strides(), (Strides{32, 8}));
  EXPECT_EQ(values(spread.copy()), (Int64s{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(FieldCases, C003_ReversedView) {
  const auto array = iota<std::int64_t>({4});
  const auto reversed = array(slice(none, none, -1));
  EXPECT_EQ(reversed.shape(), (Shape{4}));
  EXPECT_EQ(reversed.strides(), (Strides{-8}));
  EXPECT_TRUE(starts_at(reversed, array, 24));
  EXPECT_FALSE(reversed.is_c_contiguous());
  const auto host = reversed.copy_to_host();
  EXPECT_EQ(host.strides(), (Strides{8}));
  EXPECT_EQ(values(host), (Int64s{3, 2, 1, 0}));
  EXPECT_EQ(values(reversed(slice(none, none, -1))), (Int64s{0, 1, 2, 3}));
}

TEST(FieldCases, C003_ReversedAxesBothWays) {
  const auto array = iota<std::int64_t>({2, 3});
  EXPECT_EQ(values(array(slice(), slice(none, none, -1))), (Int64s{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(values(array(slice(none, none, -1), slice(none, none, -2))), (Int64s{5, 3, 2, 0}));
  EXPECT_EQ(values(array.flip(0)), (Int64s{3, 4, 5, 0, 1, 2}));
  // Into a reversed view.
  array(slice(none, none, -1), slice(none, none, -1)).copy_to_device(arange(6).reshape(2, 3));
  EXPECT_EQ(values(array), (Int64s{5, 4, 3, 2, 1, 0}));
}

TEST(FieldCases, C005_SliceLengthRoundsUp) {
  const auto rows = iota<std::int64_t>({4, 4})(slice(none, none, 3));
  EXPECT_EQ(rows.shape(), (Shape{2, 4}));
  EXPECT_EQ(values(rows), (Int64s{0, 1, 2, 3, 12, 13, 14, 15}));
}

TEST(FieldCases, C005_EveryLengthAndStep) {
  for (index_t n = 0; n < 10; ++n) {
    const auto array = iota<std::int64_t>({n});
    for (index_t step = 1; step < 12; ++step) {
      Int64s forward, backward;
      for (index_t i = 0; i < n; i += step) forward.push_back(i);
      for (index_t i = n - 1; i >= 0; i -= step) backward.push_back(i);
      EXPECT_EQ(values(array(slice(none, none, step))), forward) << n << " by " << step;
      EXPECT_EQ(values(array(slice(none, none, -step))), backward) << n << " by " << -step;
    }
  }
}

TEST(FieldCases, C006_SlicesClamp) {
  const auto array = iota<std::int64_t>({5});
  EXPECT_EQ(array(slice(10, 2)).shape(), (Shape{0}));
  EXPECT_EQ(values(array(slice(10, 2, -1))), (Int64s{4, 3}));
  EXPECT_EQ(array(slice(-100, 100)).shape(), (Shape{5}));
  EXPECT_EQ(array(slice(3, 1)).shape(), (Shape{0}));
  EXPECT_EQ(values(array(slice(none, 0, -2))), (Int64s{4, 2}));
  EXPECT_THROW(array(slice(none, none, 0)), IndexError);
  EXPECT_THROW(arange(5)(slice(none, none, 0)), IndexError);
  EXPECT_THROW(iota<std::int64_t>({0})(slice(none, none, 0)), IndexError);
}

TEST(FieldCases, C006_ExtremeBoundsAndSteps) {
  const auto array = iota<std::int64_t>({5});
  EXPECT_EQ(values(array(slice(INT64_MIN, INT64_MAX))), (Int64s{0, 1, 2, 3, 4}));
  EXPECT_EQ(values(array(slice(none, none, INT64_MAX))), (Int64s{0}));
  EXPECT_EQ(values(array(slice(none, none, INT64_MIN))), (Int64s{4}));
  EXPECT_EQ(values(array(slice(INT64_MAX, INT64_MIN, -3))), (Int64s{4, 1}));
}

TEST(FieldCases, C006_EmptyResultsCopyAsNothing) {
  const auto array = iota<std::int64_t>({5});
  const auto none_left = array(slice(3, 1));
  static_assert(std::is_same_v<decltype(none_left)::element_type, std::int64_t>);
  EXPECT_EQ(none_left.copy_to_host().shape(), (Shape{0}));
  none_left.copy_to_device(Int64s{});
  none_left.fill(7);
  EXPECT_EQ(none_left.copy().size(), 0);
  EXPECT_EQ(values(array), (Int64s{0, 1, 2, 3, 4}));
}

TEST(FieldCases, C008_HostRowMajorIntoDeviceColumnMajor) {
  const auto zero = host_array<double>({3, 4}, {.order = Order::F});
  zero.fill(0);
  const auto array = to_device(zero, {.device = device()});
  EXPECT_EQ(array.strides(), (Strides{8, 24}));
  const auto host = host_array<double>({3, 4});
  host.fill(0);
  host(0, ellipsis).assign(1.0);
  array.copy_to_device(host);
  EXPECT_EQ(array.copy_to_host(), host);
  const auto row_major = host_array<double>({3, 4});
  array.copy_to_host(row_major);
  EXPECT_EQ(row_major.strides(), (Strides{32, 8}));
  EXPECT_EQ(values(row_major), (std::vector<double>{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(FieldCases, C008_CopyKeepsValuesInEveryOrder) {
  const auto array = device_array<double>({2, 2}, {.order = Order::F, .device = device()});
  const double rows[2][2] = {{0, 1}, {2, 3}};
  array.copy_to_device(rows);
  const std::pair<Order, Strides> cases[] = {
      {Order::K, {8, 16}}, {Order::A, {8, 16}}, {Order::F, {8, 16}}, {Order::C, {16, 8}}};
  for (const auto& [order, strides] : cases) {
    const auto copy = array.copy(order);
    EXPECT_EQ(copy.strides(), strides);
    EXPECT_EQ(values(copy), (std::vector<double>{0, 1, 2, 3}));
    EXPECT_EQ(copy.item(0, 1), 1.0);
  }
}

TEST(FieldCases, C009_ViewOfSliceStaysNonContiguous) {
  const auto array = iota<std::int64_t>({5, 10});
  const auto corner = array(slice(3), slice(5));
  const auto same = corner.view();
  const auto reinterpreted = corner.view_as<std::uint64_t>();
  const auto halves = corner.view_as<std::int32_t>();
  EXPECT_FALSE(corner.is_c_contiguous());
  EXPECT_FALSE(same.is_c_contiguous());
  EXPECT_FALSE(reinterpreted.is_c_contiguous());
  EXPECT_FALSE(halves.is_c_contiguous());
  EXPECT_EQ(halves.shape(), (Shape{3, 10}));
  EXPECT_EQ(halves.strides(), (Strides{80, 4}));
  EXPECT_EQ(values(corner(1)), (Int64s{10, 11, 12, 13, 14}));
  EXPECT_EQ(values(same(1)), (Int64s{10, 11, 12, 13, 14}));
  EXPECT_EQ(values(reinterpreted)[5], 10u);
}

TEST(FieldCases, C012_SteppedForeignArrayToHost) {
  const auto array = iota<std::int64_t>({100});
  const auto foreign = wrap(array.data(), {50}, {16}, device());
  const auto host = foreign.copy_to_host();
  EXPECT_EQ(host.nbytes(), 400);
  EXPECT_EQ(host.strides(), (Strides{8}));
  for (index_t i = 0; i < 50; ++i) ASSERT_EQ(host(i), 2 * i);
  const std::int64_t* last = array.data() + 99;
  const auto backwards = wrap(last, {50}, {-16}, device());
  const auto reversed = values(backwards);
  for (std::size_t i = 0; i < 50; ++i) ASSERT_EQ(reversed[i], 99 - 2 * static_cast<std::int64_t>(i));
}

TEST(FieldCases, C015_StridesThatDoNotNest) {
  const auto base = iota<float>({1000});
  const auto view = base.as_strided({4, 3, 2}, {280, 36, 4});
  const auto column = base.as_strided({64}, {28});
  const auto dense = view.copy(), dense_column = column.copy();
  const auto host = view.copy_to_host(), from_dense = dense.copy_to_host();
  for (index_t i = 0; i < 4; ++i) {
    for (index_t j = 0; j < 3; ++j) {
      for (index_t k = 0; k < 2; ++k) {
        ASSERT_EQ(host(i, j, k), static_cast<float>(70 * i + 9 * j + k));
        ASSERT_EQ(from_dense(i, j, k), static_cast<float>(70 * i + 9 * j + k));
      }
    }
  }
  const auto host_column = column.copy_to_host();
  for (index_t i = 0; i < 64; ++i) ASSERT_EQ(host_column(i), static_cast<float>(7 * i));
  EXPECT_EQ(values(dense_column), values(host_column));
}

TEST(FieldCases, C015_WritingLeavesTheGapsAlone) {
  const auto base = full<float>({1000}, -1.0F, {.device = device()});
  const auto view = base.as_strided({4, 3, 2}, {280, 36, 4});
  view.copy_to_device(arange<float>(24).reshape(4, 3, 2));
  auto expected = std::vector<float>(1000, -1.0F);
  float next = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 2; ++k) expected[70 * i + 9 * j + k] = next++;
    }
  }
  EXPECT_EQ(values(base), expected);
}

}  // namespace
}  // namespace ferry::test
