// Failures that users of Kokkos have reported, as inputs with right values.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>
#include <memory>

#include "kernels.hpp"
#include "support/error_text.hpp"
#include "support/test_device.hpp"

namespace {

using namespace ferry;

template <class DataType, class Array>
bool has_view(const Array& array) {
  try {
    static_cast<void>(kokkos::view<DataType>(array));
    return true;
  } catch (const ShapeError&) {
    return false;
  }
}

TEST(KokkosField, C131_RankAndArgumentCount) {
  const auto ten = device_array<int>({10}, {.device = test::device()});
  EXPECT_FALSE(has_view<int>(ten));
  EXPECT_TRUE(has_view<int*>(ten));
  EXPECT_FALSE(has_view<int**>(ten));
  EXPECT_FALSE(has_view<int* [3]>(ten));
  const auto four_by_two = device_array<int>({4, 2}, {.device = test::device()});
  EXPECT_FALSE(has_view<int* [3]>(four_by_two));
  EXPECT_TRUE(has_view<int* [2]>(four_by_two));
  test::expect_error<ShapeError>([&] { kokkos::view<int* [3]>(four_by_two); }, {"(4, 2)", "3"});
}

TEST(KokkosField, C133_StridedCopiesBetweenSpaces) {
  auto source = host_array<double>({1000, 100}, {.order = Order::F});
  for (index_t i = 0; i < 1000; ++i) {
    for (index_t j = 0; j < 100; ++j) source(i, j) = static_cast<double>(i * 100 + j);
  }
  const auto device = device_array<double>({1000, 100}, {.order = Order::F, .device = test::device()});
  const auto all = kokkos::view<double**, Kokkos::LayoutLeft>(device);
  kokkos::deep_copy(all, source);

  const Kokkos::View<double*, Kokkos::HostSpace> row("row", 100);
  kokkos::deep_copy(row, Kokkos::subview(all, 1, Kokkos::ALL()));
  for (std::size_t j = 0; j < 100; ++j) ASSERT_EQ(row(j), 100.0 + static_cast<double>(j));

  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> corner("corner", 2, 2);
  kokkos::deep_copy(corner, Kokkos::subview(all, std::make_pair(998, 1000), std::make_pair(98, 100)));
  EXPECT_EQ(corner(0, 0), 99898);
  EXPECT_EQ(corner(0, 1), 99899);
  EXPECT_EQ(corner(1, 0), 99998);
  EXPECT_EQ(corner(1, 1), 99999);
}

TEST(KokkosField, C134_RankOneCopiesOfOtherLayouts) {
  const Kokkos::View<int*, Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", 10);
  for (int i = 0; i < 10; ++i) left(i) = i;
  const auto device = device_array<int>({10}, {.device = test::device()});
  const auto right = kokkos::view<int*, Kokkos::LayoutRight>(device);
  kokkos::deep_copy(right, left);
  const auto home = device.copy_to_host();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(home(i), i);

  const auto thirty = to_device(arange<int>(30), {.device = test::device()});
  const auto every_third = kokkos::view<int*, Kokkos::LayoutStride>(thirty(slice(none, none, 3)));
  kokkos::deep_copy(left, every_third);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(left(i), 3 * i);
}

// An allocation of exactly the bytes that the View spans, so that a sanitizer sees one element too many.
void fill_strided(const Shape& shape, const Strides& element_strides, std::size_t required) {
  const std::unique_ptr<int[]> memory(new int[required]);
  Strides strides = element_strides;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) strides[axis] *= static_cast<index_t>(sizeof(int));
  const auto a = host_view(memory.get(), shape, strides);
  EXPECT_EQ(a.layout().byte_range().size(), static_cast<index_t>(required * sizeof(int)));
  const auto v = kokkos::view<int**, Kokkos::LayoutStride>(a);
  EXPECT_NE(v.data(), nullptr);
  int next = 0;
  for (std::size_t i = 0; i < v.extent(0); ++i) {
    for (std::size_t j = 0; j < v.extent(1); ++j) v(i, j) = next++;
  }
  EXPECT_EQ(memory[required - 1], next - 1);
  const auto device = device_array<int>(shape, {.strides = strides, .device = test::device()});
  EXPECT_EQ(device.layout().byte_range().size(), static_cast<index_t>(required * sizeof(int)));
  kokkos::deep_copy(kokkos::view<int**, Kokkos::LayoutStride>(device), v);
  EXPECT_EQ(device.copy_to_host()(-1, -1), next - 1);
}

TEST(KokkosField, C137_AllocationFromExplicitStrides) {
  fill_strided({5, 3}, {4, 1}, 19);
  fill_strided({2, 3}, {8, 1}, 11);
}

TEST(KokkosField, C138_PaddedLeadingStride) {
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> padded_parent("parent", 16, 3);
  const auto padded = Kokkos::subview(padded_parent, std::make_pair(0, 10), Kokkos::ALL());
  const auto a = kokkos::wrap(padded);
  EXPECT_EQ(a.shape(), Shape(10, 3));
  EXPECT_EQ(a.strides(), Strides(8, 128));
  EXPECT_FALSE(a.is_f_contiguous());
  EXPECT_EQ(a.layout().byte_range().size(), 42 * 8);
  // Kokkos pads by itself where it is asked to.
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> asked(
      Kokkos::view_alloc("asked", Kokkos::AllowPadding), 1001, 3);
  const auto b = kokkos::wrap(asked);
  EXPECT_EQ(b.strides()[1], static_cast<index_t>(asked.stride(1)) * 8);
  EXPECT_EQ(b.is_f_contiguous(), asked.span_is_contiguous());
}

}  // namespace
