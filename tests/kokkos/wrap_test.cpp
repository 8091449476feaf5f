// wrap: Views as arrays, kept alive and kept as they are.
#include <gtest/gtest.h>

#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>

#include "kernels.hpp"
#include "support/error_text.hpp"
#include "support/test_device.hpp"

namespace {

using namespace ferry;

using HostView = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

TEST(Wrap, HostViewsAreHostArrays) {
  const HostView v("v", 3, 4);
  const HostArray<double> a = kokkos::wrap(v);
  EXPECT_EQ(a.shape(), Shape(3, 4));
  EXPECT_TRUE(a.is_c_contiguous());
  a(2, 3) = 7;
  EXPECT_EQ(v(2, 3), 7);
  const Kokkos::View<const double**, Kokkos::LayoutRight, Kokkos::HostSpace> c = v;
  const HostArray<const double> r = kokkos::wrap(c);
  EXPECT_EQ(r(2, 3), 7);
}

TEST(Wrap, KeepsManagedViewsAlive) {
  HostArray<double> a;
  {
    const HostView v("v", 3, 4);
    EXPECT_EQ(v.use_count(), 1);
    a = kokkos::wrap(v);
    EXPECT_EQ(v.use_count(), 2);
    {
      const auto row = a(1, slice());
      const auto again = kokkos::wrap(Kokkos::subview(v, 1, Kokkos::ALL()));
      EXPECT_EQ(v.use_count(), 3);
      EXPECT_EQ(again.data(), row.data());
    }
    EXPECT_EQ(v.use_count(), 2);
    v(1, 1) = 5;
  }
  EXPECT_EQ(a(1, 1), 5);
  const HostView kept("w", 2, 2);
  a = kokkos::wrap(kept);
  EXPECT_EQ(kept.use_count(), 2);
  a = {};
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(Wrap, DoesNotOwnUnmanagedViews) {
  double memory[6] = {0, 1, 2, 3, 4, 5};
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> v(
      memory, 2, 3);
  const auto a = kokkos::wrap(v);
  EXPECT_EQ(a.data(), memory);
  EXPECT_EQ(a(1, 2), 5);
}

TEST(Wrap, KeepsStridesAndFixedExtents) {
  const Kokkos::View<int***, Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", 3, 4, 2);
  const auto a = kokkos::wrap(left);
  EXPECT_TRUE(a.is_f_contiguous());
  left(1, 2, 1) = 9;
  EXPECT_EQ(a(1, 2, 1), 9);
  const auto part = Kokkos::subview(left, Kokkos::ALL(), 2, Kokkos::ALL());
  const auto b = kokkos::wrap(part);
  EXPECT_EQ(b.shape(), Shape(3, 2));
  EXPECT_EQ(b.strides(), Strides(4, 48));
  EXPECT_EQ(b(1, 1), 9);
  const Kokkos::View<int* [5], Kokkos::LayoutRight, Kokkos::HostSpace> fixed("fixed", 3);
  EXPECT_EQ(kokkos::wrap(fixed).shape(), Shape(3, 5));
  const Kokkos::View<int, Kokkos::HostSpace> one("one");
  EXPECT_EQ(kokkos::wrap(one).ndim(), 0u);
  const Kokkos::View<int********, Kokkos::LayoutRight, Kokkos::HostSpace> eight("eight", 1, 2, 1, 2, 1, 2, 1, 2);
  EXPECT_EQ(kokkos::wrap(eight).shape(), Shape(1, 2, 1, 2, 1, 2, 1, 2));
}

TEST(Wrap, EmptyViews) {
  const Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> never;
  EXPECT_EQ(kokkos::wrap(never).size(), 0);
  const HostView none("none", 0, 4);
  EXPECT_EQ(kokkos::wrap(none).shape(), Shape(0, 4));
}

TEST(Wrap, ThereAndBackIsTheSameMemory) {
  const auto d = device_array<double>({4, 6}, {.device = test::device()});
  const auto v = kokkos::view<double**, Kokkos::LayoutStride>(d(slice(), slice(1, 5, 2)));
  const NDArray<double> again = kokkos::wrap(v, test::device());
  EXPECT_EQ(again.shape(), Shape(4, 2));
  EXPECT_EQ(again.strides(), Strides(48, 16));
  EXPECT_EQ(static_cast<const void*>(again.data()), static_cast<const void*>(d(0, 1).data()));
}

TEST(Wrap, DefaultViewsAreDeviceArraysOnRequest) {
  const Device device(kokkos::impl::gpu_backend.empty() ? "host" : kokkos::impl::gpu_backend);
  const Kokkos::View<double*> v("v", 8);
  const NDArray<double> a = kokkos::wrap(v, device);
  EXPECT_EQ(a.data(), v.data());
  a.fill(2.5);
  const auto h = a.copy_to_host();
  EXPECT_EQ(h(7), 2.5);
  a.used_on(Stream(device));  // its memory is let go behind that
}

#if !FERRY_KOKKOS_GPU
TEST(Wrap, RefusesADeviceThatTheViewIsNotOn) {
  const Kokkos::View<double*> v("v", 8);
  test::expect_error<AccessError>([&] { kokkos::wrap(v, Device("sim:0")); }, {"sim:0", "deep_copy"});
}
TEST(Wrap, RefusesToCallADevicesMemoryTheHosts) {
  const auto d = device_array<int>({4}, {.device = Device("sim:1")});
  const auto v = kokkos::view<int*>(d);
  test::expect_error<AccessError>([&] { kokkos::wrap(v); }, {"sim:1", "wrap(view, device)"});
}
#else
TEST(Wrap, SharedSpacesHaveTwoFaces) {
  const Kokkos::View<int*, kokkos::impl::GpuManagedSpace> managed("managed", 5);
  const ManagedArray<int> m = kokkos::wrap(managed);
  m.fill(3);
  EXPECT_EQ(m.host()(4), 3);
  const Kokkos::View<int*, kokkos::impl::GpuPinnedSpace> pinned("pinned", 5);
  const MappedArray<int> p = kokkos::wrap(pinned);
  p.fill(4);
  EXPECT_EQ(p.host()(4), 4);
  EXPECT_EQ(p.device().data(), pinned.data());
}
#endif

}  // namespace
