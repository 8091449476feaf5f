// The views of an array that do not depend on a device's memory: handles, constness, access from the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <ferry/ferry.hpp>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <vector>

#include "support/loops.hpp"
#include "support/test_device.hpp"

namespace {

using namespace ferry;

static_assert(std::is_trivially_copyable_v<DeviceView<double, 3>>);
static_assert(std::is_convertible_v<NDArray<int>, NDArray<const int>>);
static_assert(!std::is_convertible_v<NDArray<const int>, NDArray<int>>);
static_assert(!std::is_assignable_v<NDArray<int>&&, const NDArray<int>&>, "rebinding a temporary is refused");
static_assert(std::is_same_v<decltype(std::declval<HostArray<const int>>()(0)), const int&>);

TEST(HostArray, ElementsAreReadAndWritten) {
  const auto a = host_array<int>({2, 3});
  for (index_t i = 0; i < 2; ++i) {
    for (index_t j = 0; j < 3; ++j) a(i, j) = static_cast<int>(10 * i + j);
  }
  EXPECT_EQ(a(1, 2), 12);
  EXPECT_EQ(a(-1, -1), 12);
  EXPECT_EQ(a.transpose()(2, 1), 12);
  EXPECT_THROW(a(2, 0), IndexError);
  EXPECT_THROW(a(0, -4), IndexError);
  EXPECT_THROW(a(0), IndexError);
}

TEST(HostArray, IteratesInCOrderWhateverTheStrides) {
  const auto a = arange<int>(24).reshape(2, 3, 4);
  const auto view = a.permute({2, 0, 1})(slice(none, none, -2));
  std::vector<int> expected;
  for (const index_t k : {3, 1}) {
    for (index_t i = 0; i < 2; ++i) {
      for (index_t j = 0; j < 3; ++j) expected.push_back(a(i, j, k));
    }
  }
  EXPECT_EQ(std::vector<int>(view.begin(), view.end()), expected);
  const auto scalar = a(1, slice(), 2)(ellipsis, 0);
  EXPECT_EQ(std::accumulate(scalar.begin(), scalar.end(), 0), a(1, 0, 2));
  const auto empty = a(slice(0, 0));
  EXPECT_TRUE(empty.begin() == empty.end());
}

TEST(HostArray, HandlesAliasAndCopiesDoNot) {
  const auto a = arange<int>(4);
  const auto alias = a;
  const auto copy = a.copy();
  alias(0) = 9;
  EXPECT_EQ(a(0), 9);
  EXPECT_EQ(copy(0), 0);
}

TEST(HostArray, AViewKeepsTheMemory) {
  HostArray<int> row;
  {
    const auto a = arange<int>(12).reshape(3, 4);
    row = a(2, slice());
  }
  EXPECT_EQ(row(3), 11);
}

TEST(HostArray, ComparesShapeAndValues) {
  const auto a = arange<double>(6).reshape(2, 3);
  EXPECT_EQ(a, a.copy(Order::F));
  EXPECT_FALSE(a == a.reshape(3, 2));
  const auto b = a.copy();
  b(1, 1) = -1;
  EXPECT_FALSE(a == b);
  b(1, 1) = a(1, 1) * 0 / 0.0;  // NaN equals nothing
  EXPECT_FALSE(b == b.copy());
}

TEST(HostArray, PrintsAsNumPyDoes) {
  std::ostringstream out;
  out << arange<int>(6).reshape(2, 3);
  EXPECT_EQ(out.str(), "[[0 1 2]\n [3 4 5]]");
}

TEST(HostArray, AssignBroadcastsAndMindsOverlap) {
  const auto a = arange<int>(12).reshape(3, 4);
  a.assign(a.view(0));
  EXPECT_EQ(a(2, 3), 3);
  const auto b = arange<int>(10);
  b(slice(1, none)).assign(b(slice(none, -1)));
  EXPECT_EQ(b(9), 8);
  EXPECT_EQ(b(1), 0);
  EXPECT_THROW(a.assign(arange<int>(3)), ShapeError);
  a(slice(), 1).assign(7);
  EXPECT_EQ(a(1, 1), 7);
  EXPECT_EQ(a(1, 2), 2);
}

TEST(HostArray, BorrowsForeignMemory) {
  std::vector<float> memory(6);
  std::iota(memory.begin(), memory.end(), 0.0f);
  const auto view = host_view(memory.data(), {2, 3});
  view(1, 1) = 40;
  EXPECT_EQ(memory[4], 40);
  const auto reversed = host_view(memory.data() + 5, {6}, {-4});
  EXPECT_EQ(reversed(0), 5);
  EXPECT_THROW(host_view(static_cast<float*>(nullptr), {1}), LifetimeError);
  int released = 0;
  {
    HostArray<float> part;
    {
      const std::shared_ptr<void> owner(nullptr, [&](void*) { ++released; });
      part = host_view(memory.data(), {6}, {}, owner)(slice(2, 4));
    }
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(NDArray, HasNoElementAccess) {
  const auto d = zeros<int>({3, 4}, {.device = test::device()});
  static_assert(std::is_same_v<decltype(d(1, 2)), NDArray<int>>, "d(3, 4) is a view of rank 0");
  EXPECT_EQ(d(1, 2).ndim(), 0u);
  EXPECT_EQ(d.item(1, 2), 0);
  EXPECT_THROW(d.item(1), ShapeError);
}

TEST(NDArray, DefaultConstructedHoldsNothing) {
  const NDArray<double> d;
  EXPECT_EQ(d.size(), 0);
  EXPECT_EQ(d.data(), nullptr);
  EXPECT_TRUE(d.is_c_contiguous());
  EXPECT_EQ(d.copy_to_host().size(), 0);
}

TEST(NDArray, DeviceViewsReachElementsInKernels) {
  const auto d = to_device(arange<int>(24).reshape(4, 6), {.device = test::device()});
  const auto view = d.transpose()(slice(none, none, -1)).device_view<2>();
  EXPECT_EQ(view.extent(0), 6);
  EXPECT_EQ(view.stride(0), -4);
  test::add_to_each(view, 100);
  EXPECT_EQ(d.item(3, 5), 123);
  EXPECT_THROW(d.device_view<3>(), ShapeError);
  EXPECT_THROW(for_each_index(test::device(), {6}, [=](index_t, index_t) {}), ShapeError);
  EXPECT_THROW(for_each_index(test::device(), {-1}, [=](index_t) {}), ShapeError);
  test::set_scalar(d(1, 1).device_view<0>(), -5);
  EXPECT_EQ(d.item(1, 1), -5);
}

TEST(NDArray, WrapsForeignDeviceMemory) {
  const auto owner = zeros<int>({100}, {.device = test::device()});
  owner.copy_to_device(arange<int>(100));
  const auto every_second = wrap(owner.data(), {50}, {8}, test::device());
  EXPECT_EQ(every_second.copy_to_host()(49), 98);
  const auto read_only = wrap(static_cast<const int*>(owner.data()), {100}, {}, test::device());
  static_assert(std::is_same_v<decltype(read_only), const NDArray<const int>>);
  EXPECT_EQ(read_only.item(7), 7);
}

TEST(Record, TravelsThereAndBack) {
  struct Local {
    double x;
    int y[2];
  };
  const auto d = zeros<Local>({3}, {.device = test::device()});
  const auto second = d.record(1);
  second.copy_to_device({2.5, {3, 4}});
  EXPECT_EQ(d.copy_to_host()(1).y[1], 4);
  second.field(&Local::y).fill(8);
  EXPECT_EQ(second.copy_to_host().y[0], 8);
  EXPECT_EQ(second.copy_to_host().x, 2.5);
  EXPECT_EQ(d.copy_to_host()(2).y[0], 0);
  const Stream stream(test::device());
  Local back{};
  second.copy_to_host(back, stream).wait();
  EXPECT_EQ(back.x, 2.5);
}

}  // namespace
