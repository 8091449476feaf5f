// deep_copy: every combination of places, layouts and element types.
#include <gtest/gtest.h>

#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>

#include "kernels.hpp"
#include "support/error_text.hpp"
#include "support/test_device.hpp"

namespace {

using namespace ferry;

template <class Layout>
using HostMatrix = Kokkos::View<double**, Layout, Kokkos::HostSpace>;

double value(index_t i, index_t j) {
  return static_cast<double>(100 * i + j);
}
template <class View>
void number(const View& v) {
  for (std::size_t i = 0; i < v.extent(0); ++i) {
    for (std::size_t j = 0; j < v.extent(1); ++j) {
      v(i, j) = static_cast<typename View::value_type>(value(static_cast<index_t>(i), static_cast<index_t>(j)));
    }
  }
}
template <class Matrix>
void expect_numbers(const Matrix& m, index_t rows, index_t columns) {
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      ASSERT_EQ(static_cast<double>(m(i, j)), value(i, j)) << i << ", " << j;
    }
  }
}

// The device arrays of 6 x 4 elements that a View cannot be copied to by Kokkos, and some that it can.
std::vector<NDArray<double>> targets() {
  const Alloc here{.device = test::device()};
  return {device_array<double>({6, 4}, here),
          device_array<double>({6, 4}, {.order = Order::F, .device = test::device()}),
          device_array<double>({12, 9}, here)(slice(none, none, 2), slice(1, none, 2)),
          device_array<double>({4, 6}, here).transpose(),
          device_array<double>({6, 4}, here).flip(0).flip(1),
          device_array<double>({3, 6, 2, 4}, here)(1, slice(), 1, slice())};
}

TEST(DeepCopy, HostViewsToAndFromEveryLayout) {
  const HostMatrix<Kokkos::LayoutRight> right("right", 6, 4);
  const HostMatrix<Kokkos::LayoutLeft> left("left", 6, 4);
  const HostMatrix<Kokkos::LayoutRight> wide("wide", 12, 8);
  const auto strided = Kokkos::subview(wide, std::make_pair(3, 9), std::make_pair(2, 6));
  number(right);
  number(left);
  number(strided);
  const auto check = [](const auto& source, const NDArray<double>& d) {
    d.fill(-1);
    kokkos::deep_copy(d, source);
    expect_numbers(d.copy_to_host(), 6, 4);
    const HostMatrix<Kokkos::LayoutLeft> back("back", 6, 4);
    kokkos::deep_copy(back, d);
    expect_numbers(back, 6, 4);
  };
  for (const auto& d : targets()) {
    check(right, d);
    check(left, d);
    check(strided, d);
  }
  wide(2, 2) = -5;
  kokkos::deep_copy(strided, targets()[2]);  // gaps stay as they are
  EXPECT_EQ(wide(2, 2), -5);
}

TEST(DeepCopy, BetweenViewsOfTwoSpaces) {
  const Kokkos::View<double**, Kokkos::LayoutLeft, typename kokkos::impl::DefaultSpace<NDArray<double>>::type> device(
      "device", 8, 6);
  const HostMatrix<Kokkos::LayoutRight> host("host", 4, 3);
  number(host);
  const auto corner = Kokkos::subview(device, std::make_pair(2, 6), std::make_pair(1, 4));
  kokkos::deep_copy(corner, host);
  const HostMatrix<Kokkos::LayoutRight> back("back", 4, 3);
  kokkos::deep_copy(back, corner);
  expect_numbers(back, 4, 3);
}

TEST(DeepCopy, ConvertsElements) {
  const Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> ints("ints", 6, 4);
  number(ints);
  for (const auto& d : targets()) {
    kokkos::deep_copy(d, ints);
    expect_numbers(d.copy_to_host(), 6, 4);
    const Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace> floats("floats", 6, 4);
    kokkos::deep_copy(floats, d);
    expect_numbers(floats, 6, 4);
  }
  const Kokkos::View<unsigned char*, Kokkos::HostSpace> small("small", 3);
  auto big = host_array<double>({3});
  big(0) = -7, big(1) = 300, big(2) = 12.9;
  kokkos::deep_copy(small, big);  // NumPy's rule, and saturation beyond
  EXPECT_EQ(small(0), 0);
  EXPECT_EQ(small(1), 255);
  EXPECT_EQ(small(2), 12);
}

TEST(DeepCopy, OnAStream) {
  const Stream stream(test::device());
  const auto d = device_array<double>({6, 4}, {.stream = stream});
  const auto v = kokkos::view<double**>(d);
  const HostMatrix<Kokkos::LayoutLeft> left("left", 6, 4);
  number(left);
  kokkos::deep_copy(stream, d, left).wait();
  kokkos::launch(stream, reads(), writes(d), test::loop(6, test::Number<decltype(v)>{v}));
  const HostMatrix<Kokkos::LayoutLeft> back("back", 6, 4);
  kokkos::deep_copy(stream, back, d.transpose().transpose()).wait();
  expect_numbers(back, 6, 4);
  const Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> floats("floats", 6, 4);
  kokkos::deep_copy(stream, floats, d).wait();
  expect_numbers(floats, 6, 4);
}

TEST(DeepCopy, InTheOrderOfAnInstance) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto d = device_array<double>({6, 4}, {.device = test::device()});
  const HostMatrix<Kokkos::LayoutRight> right("right", 6, 4);
  number(right);
  kokkos::deep_copy(exec, d, right);
  const HostMatrix<Kokkos::LayoutLeft> back("back", 6, 4);
  kokkos::deep_copy(exec, back, d).wait();
  expect_numbers(back, 6, 4);
}

TEST(DeepCopy, OfOtherArrays) {
  const auto m = mapped_array<double>({6, 4}, {.device = test::device()});
  const auto g = managed_array<double>({6, 4}, {.device = test::device()});
  const HostMatrix<Kokkos::LayoutLeft> left("left", 6, 4), back("back", 6, 4);
  number(left);
  kokkos::deep_copy(m, left);
  kokkos::deep_copy(g, m);
  kokkos::deep_copy(back, g);
  expect_numbers(back, 6, 4);
  const auto h = host_array<double>({6, 4});
  kokkos::deep_copy(h, back);
  expect_numbers(h, 6, 4);
}

TEST(DeepCopy, RefusesWhatCannotBe) {
  const auto d = device_array<double>({6, 4}, {.device = test::device()});
  const HostMatrix<Kokkos::LayoutRight> other("other", 4, 6);
  test::expect_error<ShapeError>([&] { kokkos::deep_copy(d, other); }, {"deep_copy", "(4, 6)", "(6, 4)"});
  const Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> floats("floats", 4, 6);
  EXPECT_THROW(kokkos::deep_copy(d, floats), ShapeError);
  double one = 0;
  const Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      repeated(&one, Kokkos::LayoutStride(6, 0, 4, 0));
  test::expect_error<LayoutError>([&] { kokkos::deep_copy(repeated, d); }, {"share memory"});
}

}  // namespace
