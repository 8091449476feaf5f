// view: what a View of an array is, and what it cannot be.
#include <gtest/gtest.h>

#include <complex>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>

#include "kernels.hpp"
#include "support/error_text.hpp"
#include "support/test_device.hpp"

namespace {

using namespace ferry;

struct Particle {
  double x, y;
  float mass;
  int id;
};
struct Packed {
  char tag;
  double value;
} __attribute__((packed));
FERRY_RECORD(Packed, tag, value);

// The View and the array lead to the same element, whatever the rank.
template <class View, class Array>
void expect_same_elements(const View& v, const Array& a) {
  EXPECT_EQ(static_cast<const void*>(v.data()), static_cast<const void*>(a.data()));
  ASSERT_EQ(static_cast<std::size_t>(View::rank), a.ndim());
  for (std::size_t axis = 0; axis < a.ndim(); ++axis) {
    EXPECT_EQ(static_cast<index_t>(v.extent(axis)), a.shape()[axis]) << "axis " << axis;
    if (a.shape()[axis] > 1) {
      EXPECT_EQ(static_cast<index_t>(v.stride(axis) * sizeof(typename View::value_type)), a.strides()[axis])
          << "axis " << axis;
    }
  }
  EXPECT_EQ(v.use_count(), 0);
}

NDArray<int> device_ints(const Shape& shape, Order order = Order::C) {
  return device_array<int>(shape, {.order = order, .device = test::device()});
}

TEST(View, HasTheElementsOfEveryRank) {
  const auto check = [](const auto& v, const auto& a) { expect_same_elements(v, a); };
  const auto zero = device_ints({}), one = device_ints({5}), two = device_ints({2, 3}), three = device_ints({2, 3, 4});
  check(kokkos::view<int>(zero), zero);
  check(kokkos::view<int, Kokkos::LayoutLeft>(zero), zero);
  check(kokkos::view<int*>(one), one);
  check(kokkos::view<int**>(two), two);
  check(kokkos::view<int***>(three), three);
  const auto four = device_ints({2, 3, 2, 2}), five = device_ints({2, 1, 3, 2, 2});
  check(kokkos::view<int****>(four), four);
  check(kokkos::view<int*****>(five), five);
  const auto six = device_ints({2, 1, 3, 2, 2, 2}), seven = device_ints({2, 1, 3, 2, 2, 2, 2});
  const auto eight = device_ints({2, 1, 3, 2, 2, 2, 2, 2});
  check(kokkos::view<int******>(six), six);
  check(kokkos::view<int*******>(seven), seven);
  check(kokkos::view<int********>(eight), eight);
  check(kokkos::view<int********, Kokkos::LayoutStride>(eight), eight);
  check(kokkos::view<int********, Kokkos::LayoutStride>(eight.transpose()), eight.transpose());
}

TEST(View, HasTheOrderOfTheArray) {
  const auto f = device_ints({3, 5, 2}, Order::F), c = device_ints({3, 5, 2});
  expect_same_elements(kokkos::view<int***, Kokkos::LayoutLeft>(f), f);
  expect_same_elements(kokkos::view<int***, Kokkos::LayoutLeft>(c.transpose()), c.transpose());
  expect_same_elements(kokkos::view<int***, Kokkos::LayoutStride>(c.permute({1, 2, 0})), c.permute({1, 2, 0}));
  const auto part = c(slice(), slice(1, 4, 2), 1);
  expect_same_elements(kokkos::view<int**, Kokkos::LayoutStride>(part), part);
  const auto in_one = device_ints({1, 4, 1});  // both orders at once
  expect_same_elements(kokkos::view<int***, Kokkos::LayoutLeft>(in_one), in_one);
  expect_same_elements(kokkos::view<int***>(in_one), in_one);
}

TEST(View, IsOfTheRightType) {
  const auto h = host_array<float>({4, 3});
  const auto v = kokkos::view<const float**>(h);
  using V = decltype(v);
  static_assert(std::is_same_v<std::remove_const_t<V>::value_type, const float>);
  static_assert(std::is_same_v<std::remove_const_t<V>::memory_space, Kokkos::HostSpace>);
  static_assert(std::is_same_v<std::remove_const_t<V>::array_layout, Kokkos::LayoutRight>);
  static_assert(std::remove_const_t<V>::traits::memory_traits::is_unmanaged);
  using Traits = Kokkos::MemoryTraits<Kokkos::RandomAccess>;
  const auto r = kokkos::view<const float**, Kokkos::HostSpace, Traits, Kokkos::LayoutStride>(h);
  using R = std::remove_const_t<decltype(r)>;
  static_assert(R::traits::memory_traits::is_random_access && R::traits::memory_traits::is_unmanaged);
  static_assert(std::is_same_v<R::array_layout, Kokkos::LayoutStride>);
  EXPECT_EQ(v.data(), r.data());
}

TEST(View, TakesTheFastestLayoutThereIs) {
  const auto c = device_ints({3, 4});
  const auto kind = [](const auto& v) {
    using Layout = typename std::decay_t<decltype(v)>::array_layout;
    return std::is_same_v<Layout, Kokkos::LayoutRight> ? 'R' : std::is_same_v<Layout, Kokkos::LayoutLeft> ? 'L' : 'S';
  };
  EXPECT_EQ(kokkos::visit_view<int**>(c, kind), 'R');
  EXPECT_EQ(kokkos::visit_view<int**>(c.transpose(), kind), 'L');
  EXPECT_EQ(kokkos::visit_view<int**>(c(slice(), slice(none, none, 2)), kind), 'S');
}

TEST(View, ChecksTheExtentsOfItsType) {
  const auto a = device_ints({7, 3, 4});
  expect_same_elements(kokkos::view<int* [3][4]>(a), a);
  expect_same_elements(kokkos::view<int** [4]>(a), a);
  expect_same_elements(kokkos::view<int[7][3][4]>(a), a);
  expect_same_elements(kokkos::view<int* [3][4], Kokkos::LayoutStride>(a), a);
  EXPECT_THROW(kokkos::view<int* [3][5]>(a), ShapeError);
  EXPECT_THROW(kokkos::view<int* [4][4]>(a), ShapeError);
  test::expect_error<ShapeError>([&] { kokkos::view<int* [2][4]>(a); }, {"(7, 3, 4)", "1 of any length, 2, 4"});
}

TEST(View, OfNoElements) {
  const auto none_at_all = device_ints({0, 3});
  const auto v = kokkos::view<int**>(none_at_all);
  EXPECT_EQ(v.extent(0), 0u);
  EXPECT_EQ(v.extent(1), 3u);
  EXPECT_EQ(kokkos::view<int**>(none_at_all.transpose().transpose()).size(), 0u);
  EXPECT_EQ(kokkos::view<int*>(NDArray<int>(wrap<int>(nullptr, {0}, {}, test::device()))).size(), 0u);
}

TEST(View, OfRecordFields) {
  const auto particles = device_array<Particle>({6}, {.device = test::device()});
  const auto mass = particles.field(&Particle::mass);
  const auto v = kokkos::view<float*, Kokkos::LayoutStride>(mass);
  EXPECT_EQ(v.stride(0) * sizeof(float), sizeof(Particle));
  expect_same_elements(v, mass);
  test::expect_error<LayoutError>([&] { kokkos::view<float*>(mass); }, {"name Kokkos::LayoutStride"});
}

TEST(View, LeavesTheArrayItsElements) {
  const Stream stream(test::device());
  auto h = host_array<double>({12});
  for (index_t i = 0; i < 12; ++i) h(i) = static_cast<double>(i);
  const auto d = to_device(h, {.stream = stream});
  const auto odd = d(slice(1, none, 2));
  const auto v = kokkos::view<double*, Kokkos::LayoutStride>(odd);
  kokkos::launch(stream, reads(), writes(odd), test::loop(6, test::Scale<decltype(v)>{v, -1.0}));
  const auto back = d.copy_to_host(stream).get();
  for (index_t i = 0; i < 12; ++i) EXPECT_EQ(back(i), i % 2 == 1 ? -h(i) : h(i)) << i;
}

TEST(View, OfReadOnlyAndRepeatedElements) {
  const auto row = device_ints({1, 4});
  const NDArray<const int> repeated = row.broadcast_to({3, 4});
  const auto v = kokkos::view<const int**, Kokkos::LayoutStride>(repeated);
  EXPECT_EQ(v.stride(0), 0u);
  EXPECT_EQ(v.extent(0), 3u);
  const auto writable = row(0).as_strided({3, 4}, {0, 4});
  EXPECT_THROW((kokkos::view<int**, Kokkos::LayoutStride>(writable)), LayoutError);
  EXPECT_EQ((kokkos::view<const int**, Kokkos::LayoutStride>(writable).stride(0)), 0u);
}

TEST(View, OfMappedAndManagedArrays) {
  const Stream stream(test::device());
  const auto m = mapped_array<double>({10}, {.device = test::device()});
  const auto g = managed_array<double>({10}, {.device = test::device()});
  for (index_t i = 0; i < 10; ++i) m.host()(i) = g.host()(i) = static_cast<double>(i);
  const auto mv = kokkos::view<double*>(m);
  const auto gv = kokkos::view<double*>(g);
  EXPECT_EQ(mv.data(), m.device().data());
  kokkos::launch(stream, reads(), writes(m), test::loop(10, test::Scale<decltype(mv)>{mv, 2.0}));
  kokkos::launch(stream, reads(), writes(g), test::loop(10, test::Scale<decltype(gv)>{gv, 3.0}));
  const auto mh = m.host(), gh = g.host();
  for (index_t i = 0; i < 10; ++i) {
    EXPECT_EQ(mh(i), 2.0 * static_cast<double>(i));
    EXPECT_EQ(gh(i), 3.0 * static_cast<double>(i));
  }
  const auto hv = kokkos::view<double*>(m.host());
  EXPECT_EQ(hv.data(), m.host().data());
  EXPECT_EQ(hv(9), 18.0);
}

TEST(View, SaysWhyItCannotBe) {
  const auto a = device_ints({6, 4});
  const auto refuse = [](auto make, const char* why) { test::expect_error<LayoutError>(make, {why}); };
  refuse([&] { kokkos::view<int**, Kokkos::LayoutStride>(a.flip(1)); }, "run backwards");
  refuse([&] { kokkos::view<int**>(a.transpose()); }, "name Kokkos::LayoutLeft");
  refuse([&] { kokkos::view<int**, Kokkos::LayoutLeft>(a); }, "name Kokkos::LayoutRight");
  refuse([&] { kokkos::view<int**, Kokkos::LayoutLeft>(a(slice(none, none, 2))); }, "name Kokkos::LayoutStride");
  // Pairs that lie three elements apart: no View counts in elements of two.
  const auto pairs = device_array<float>({5, 3}, {.device = test::device()})(slice(), slice(0, 2));
  const auto complexes = pairs.view_as<std::complex<float>>()(slice(), 0);
  refuse([&] { kokkos::view<std::complex<float>*, Kokkos::LayoutStride>(complexes); }, "no multiple");
  const auto packed = device_array<Packed>({4}, {.device = test::device()});
  EXPECT_THROW((kokkos::view<double*, Kokkos::LayoutStride>(packed.field<double>("value"))), LayoutError);
}

TEST(View, RefusesOtherRanks) {
  EXPECT_THROW(kokkos::view<int*>(device_ints({2, 3})), ShapeError);
  EXPECT_THROW(kokkos::view<int**>(device_ints({6})), ShapeError);
  const auto nine = device_ints({1, 1, 1, 1, 1, 1, 1, 1, 1});
  test::expect_error<ShapeError>([&] { kokkos::view<int********>(nine); }, {"at most 8"});
}

TEST(View, RefusesAnAddressThatItsTraitsPromiseOtherwise) {
  const auto a = device_ints({64});
  using Aligned = Kokkos::MemoryTraits<Kokkos::Aligned>;
  EXPECT_EQ((kokkos::view<int*, Aligned>(a).data()), a.data());
  EXPECT_THROW((kokkos::view<int*, Aligned>(a(slice(1, none)))), LayoutError);
}

#if FERRY_KOKKOS_GPU
TEST(View, RefusesMemoryOfAnotherSpace) {
  const auto d = device_ints({4});
  EXPECT_THROW((kokkos::view<int*, Kokkos::HostSpace>(d)), AccessError);
  EXPECT_THROW((kokkos::view<int*, kokkos::impl::GpuSpace>(host_array<int>({4}))), AccessError);
  EXPECT_THROW((kokkos::view<int*, kokkos::impl::GpuManagedSpace>(d)), AccessError);
  const auto on_host = device_array<int>({4}, {.device = Device("host")});
  EXPECT_THROW(kokkos::view<int*>(on_host), AccessError);
  EXPECT_EQ((kokkos::view<int*, Kokkos::HostSpace>(on_host).data()), on_host.data());
}
#endif

}  // namespace
