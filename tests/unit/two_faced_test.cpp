// Mapped and managed arrays: memory that the host and the device both reach.
#include <gtest/gtest.h>

#include <numeric>
#include <sstream>
#include <type_traits>
#include <vector>

#include "ferry/ferry.hpp"
#include "support/stream_loops.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

struct Point {
  float x, y;
  double mass;
};
FERRY_RECORD(Point, x, y, mass);

struct Mapped {
  static constexpr MemoryKind kind = MemoryKind::mapped;
  template <class T>
  using Array = MappedArray<T>;
  template <class T>
  static MappedArray<T> make(const Shape& shape, const Alloc& o = {}) {
    return mapped_array<T>(shape, {o.order, o.strides, o.stream, o.stream ? Device() : device(), o.resource, o.label});
  }
};
struct Managed {
  static constexpr MemoryKind kind = MemoryKind::managed;
  template <class T>
  using Array = ManagedArray<T>;
  template <class T>
  static ManagedArray<T> make(const Shape& shape, const Alloc& o = {}) {
    return managed_array<T>(shape, {o.order, o.strides, o.stream, o.stream ? Device() : device(), o.resource, o.label});
  }
};

template <class Kind>
class TwoFaced : public ::testing::Test {
 protected:
  template <class T>
  static auto make(const Shape& shape, const Alloc& options = {}) {
    return Kind::template make<T>(shape, options);
  }
  /// 0, 1, 2, … in C order.
  static auto iota(const Shape& shape) {
    const auto array = make<int>(shape);
    const auto host = array.host();
    std::iota(host.begin(), host.end(), 0);
    return array;
  }
};
struct KindNames {
  template <class Kind>
  static std::string GetName(int) {
    return Kind::kind == MemoryKind::mapped ? "Mapped" : "Managed";
  }
};
using Kinds = ::testing::Types<Mapped, Managed>;
TYPED_TEST_SUITE(TwoFaced, Kinds, KindNames);

std::vector<int> values(const HostArray<int>& array) {
  return {array.begin(), array.end()};
}

TYPED_TEST(TwoFaced, BothFacesShowTheSameElements) {
  const auto array = this->iota({2, 3});
  EXPECT_EQ(values(array.device().copy_to_host()), (std::vector{0, 1, 2, 3, 4, 5}));
  array.device().fill(7);
  EXPECT_EQ(values(array.host()), std::vector(6, 7));
  array.host()(1, 2) = -1;
  EXPECT_EQ(array.device().item(1, 2), -1);
  EXPECT_EQ(array.memory_kind(), TypeParam::kind);
  EXPECT_EQ(array.host().memory_kind(), TypeParam::kind);
  EXPECT_EQ(array.device().device(), device());
  EXPECT_EQ(array.host().device(), device());
}

TYPED_TEST(TwoFaced, KernelsAreGivenTheAddressThatTheDeviceNames) {
  const auto array = this->iota({5});
  const void* const host = array.host().data();
  EXPECT_EQ(device().space().query(host).device_pointer, array.device().data());
  EXPECT_EQ(static_cast<const void*>(array.template device_view<1>().data()),
            static_cast<const void*>(array.device().data()));
  const auto tail = array(slice(2, none));
  EXPECT_EQ(device().space().query(tail.host().data()).device_pointer, tail.device().data());
}

TYPED_TEST(TwoFaced, KernelsWriteWhereTheHostReads) {
  const Stream stream(device());
  const auto array = this->template make<float>({100}, {.stream = stream});
  array.fill(1.0F);
  add_on(stream, array.template device_view<1>(), 2.0F);
  add_on(stream, array(slice(50, none)).template device_view<1>(), 10.0F);
  EXPECT_EQ(array.host()(0), 3.0F) << "host() waits for the bound stream";
  EXPECT_EQ(array.host()(99), 13.0F);
}

TYPED_TEST(TwoFaced, ViewsHaveBothFaces) {
  const auto array = this->iota({4, 6});
  const auto check = [](const auto& view, const std::vector<int>& expected) {
    EXPECT_EQ(values(view.host()), expected);
    EXPECT_EQ(values(view.device().copy_to_host()), expected);
    EXPECT_EQ(values(view.copy_to_host()), expected);
  };
  check(array(1, slice(none, none, 2)), {6, 8, 10});
  check(array(slice(none, none, -1), 0), {18, 12, 6, 0});
  check(array.transpose()(0), {0, 6, 12, 18});
  check(array.flip(1)(3), {23, 22, 21, 20, 19, 18});
  check(array(2, 3), {15});
  check(array.reshape(6, 4)(5), {20, 21, 22, 23});
  check(array(slice(0, 1)).ravel(), {0, 1, 2, 3, 4, 5});
  check(array.split(3)[1](0), {18, 19, 20, 21, 22, 23});
  check(array_split(array, 4, 1)[3](0), {5});
  check(split_at(array, {1}, 1)[0].squeeze(), {0, 6, 12, 18});
  check(array(0, slice(0, 4)).template view_as<std::int64_t>().template view_as<int>(), {0, 1, 2, 3});
  static_assert(std::is_same_v<decltype(array.broadcast_to({2, 4, 6})), typename TypeParam::template Array<const int>>);
  EXPECT_EQ(array.broadcast_to({2, 4, 6}).host()(1, 3, 5), 23);
  EXPECT_TRUE(array.is_c_contiguous());
  EXPECT_TRUE(array.transpose().is_f_contiguous());
}

TYPED_TEST(TwoFaced, OrderAndStrides) {
  const auto fortran = this->template make<double>({3, 4}, {.order = Order::F});
  EXPECT_EQ(fortran.strides(), (Strides{8, 24}));
  const auto padded = this->template make<double>({3, 4}, {.strides = {64, 8}});
  EXPECT_EQ(padded.strides(), (Strides{64, 8}));
  padded.fill(2.5);
  EXPECT_EQ(padded.host()(2, 3), 2.5);
  const auto reversed = this->template make<double>({4}, {.strides = {-16}});
  reversed.assign(std::vector<double>{1, 2, 3, 4});
  EXPECT_EQ(reversed.host()(0), 1);
  EXPECT_EQ(reversed.host().data()[-2], 2);
  EXPECT_EQ(reversed.item(3), 4);
  EXPECT_THROW(this->template make<double>({3}, {.strides = {4}}), LayoutError);
}

TYPED_TEST(TwoFaced, FillAndCopiesOnAStreamAreQueued) {
  const Stream stream(device(), {.non_blocking = true});
  const auto array = this->iota({1000});
  const auto on_device = zeros<int>({1000}, {.device = device()});
  array.fill(5, stream);
  on_device.copy_to_device(array, stream);
  const auto back = pinned_array<int>({1000}, {.device = device()});
  const Transfer transfer = on_device.copy_to_host(back, stream);
  transfer.wait();
  EXPECT_EQ(back(999), 5);
  array.copy_to_device(back, stream);
  array.fill(6, stream);
  EXPECT_EQ(array.host()(0), 6) << "host() waits for streams that calls have named";
}

TYPED_TEST(TwoFaced, HostWaitsForStreamsToldOfToo) {
  const Stream stream(device(), {.non_blocking = true});
  const auto array = this->iota({10});
  add_on(stream, array.reshape(2, 5).template device_view<2>(), 100);
  array.used_on(stream);
  EXPECT_EQ(array.host()(9), 109);
}

TYPED_TEST(TwoFaced, CopyToHostInAllForms) {
  const auto array = this->iota({2, 3});
  const std::vector<int> expected{0, 1, 2, 3, 4, 5};
  const HostArray<int> fresh = array.copy_to_host();
  EXPECT_EQ(fresh.memory_kind(), MemoryKind::pageable);
  EXPECT_EQ(values(fresh), expected);
  const Stream stream(device());
  EXPECT_EQ(values(array.copy_to_host(stream).get()), expected);
  int c_array[2][3] = {};
  array.copy_to_host(c_array);
  EXPECT_EQ(c_array[1][2], 5);
  std::vector<int> vector(6);
  EXPECT_EQ(&array.ravel().copy_to_host(vector), &vector);
  EXPECT_EQ(vector, expected);
  const auto pinned = pinned_array<int>({2, 3}, {.device = device()});
  array.copy_to_host(pinned, stream).wait();
  EXPECT_EQ(values(pinned), expected);
  const auto other = this->template make<int>({2, 3}, {.order = Order::F});
  array.copy_to_host(other);
  EXPECT_EQ(other, array);
}

TYPED_TEST(TwoFaced, CopyToDeviceInAllForms) {
  const Stream stream(device());
  const auto array = this->template make<int>({2, 3});
  const std::vector<int> six{1, 2, 3, 4, 5, 6};
  array.ravel().copy_to_device(six);
  EXPECT_EQ(array.item(1, 0), 4);
  array.copy_to_device(to_device(host_view(six.data(), {2, 3}).flip(0), {.device = device()}));
  EXPECT_EQ(array.item(0, 0), 4);
  array.copy_to_device(this->iota({2, 3}), stream).wait();
  EXPECT_EQ(array.item(1, 2), 5);
  array.copy_to_device(this->iota({3, 2}).transpose());
  EXPECT_EQ(values(array.copy_to_host()), (std::vector{0, 2, 4, 1, 3, 5}));
  EXPECT_THROW(array.copy_to_device(six), ShapeError);
}

TYPED_TEST(TwoFaced, AssignInAllForms) {
  const auto array = this->template make<int>({2, 3});
  array.assign(std::vector{1, 2, 3});
  EXPECT_EQ(values(array.host()), (std::vector{1, 2, 3, 1, 2, 3}));
  array.assign(this->iota({3}));
  EXPECT_EQ(values(array.host()), (std::vector{0, 1, 2, 0, 1, 2}));
  array(0).assign(9);
  const Stream stream(device());
  array(slice(), 2).assign(to_device(std::vector{-1, -2}, {.device = device()}), stream).wait();
  EXPECT_EQ(values(array.host()), (std::vector{9, 9, -1, 0, 1, -2}));
  const auto on_device = device_array<int>({2, 3}, {.device = device()});
  on_device.assign(array, stream).wait();
  EXPECT_EQ(on_device.item(1, 2), -2);
  const auto host = host_array<int>({2, 2, 3});
  host.assign(array);
  EXPECT_EQ(host(1, 1, 2), -2);
}

TYPED_TEST(TwoFaced, OverlapIsSeenThroughBothFaces) {
  const auto array = this->iota({6});
  array.device()(slice(1, none)).copy_to_device(array.host()(slice(none, 5)));
  EXPECT_EQ(values(array.host()), (std::vector{0, 0, 1, 2, 3, 4}));
  array.device()(slice(1, none)).copy_to_host(array.host()(slice(none, 5)));
  EXPECT_EQ(values(array.host()), (std::vector{0, 1, 2, 3, 4, 4}));
  array(slice(none, none, -1)).assign(array);
  EXPECT_EQ(values(array.host()), (std::vector{4, 4, 3, 2, 1, 0}));
  array.host().flip(0).assign(array);
  EXPECT_EQ(values(array.host()), (std::vector{0, 1, 2, 3, 4, 4}));
  array.device().copy_to_host(array.host());  // onto itself
  EXPECT_EQ(values(array.host()), (std::vector{0, 1, 2, 3, 4, 4}));
}

TYPED_TEST(TwoFaced, ToDeviceTakesThem) {
  const auto array = this->iota({2, 3});
  const NDArray<int> copy = to_device(array.transpose(), {.order = Order::K, .device = device()});
  EXPECT_EQ(copy.memory_kind(), MemoryKind::device);
  EXPECT_EQ(copy.strides(), (Strides{4, 12}));
  EXPECT_EQ(copy.item(2, 1), 5);
  const auto like = device_array_like(array);
  EXPECT_EQ(like.shape(), array.shape());
  EXPECT_EQ(like.device(), device());
}

TYPED_TEST(TwoFaced, CopiesStayInMemoryOfTheirKindAndFacesLeaveIt) {
  const auto array = this->iota({2, 3});
  EXPECT_EQ(array.copy().memory_kind(), TypeParam::kind);
  EXPECT_EQ(array.copy(Order::F), array);
  EXPECT_EQ(array.transpose().reshape({6}).memory_kind(), TypeParam::kind);
  EXPECT_EQ(values(array.transpose().reshape({6}).host()), (std::vector{0, 3, 1, 4, 2, 5}));
  const auto doubles = array.template astype<double>();
  static_assert(std::is_same_v<decltype(doubles), const typename TypeParam::template Array<double>>);
  EXPECT_EQ(doubles.host()(1, 2), 5.0);
  const NDArray<int> on_device = array.device().copy();
  EXPECT_EQ(on_device.memory_kind(), MemoryKind::device);
  EXPECT_EQ(on_device.item(1, 2), 5);
  const HostArray<int> on_host = array.host().copy();
  EXPECT_EQ(on_host.memory_kind(), TypeParam::kind == MemoryKind::mapped ? MemoryKind::pinned : MemoryKind::pageable);
  EXPECT_EQ(on_host(1, 2), 5);
  EXPECT_EQ(array.host().template astype<float>()(1, 1), 4.0F);
}

TYPED_TEST(TwoFaced, HandlesShareAndKeepTheMemory) {
  auto array = this->iota({3});
  const HostArray<int> host = array.host();
  const NDArray<int> on_device = array.device();
  const typename TypeParam::template Array<const int> read_only = array;
  array = this->iota({1});
  EXPECT_EQ(host(2), 2);
  EXPECT_EQ(on_device.item(2), 2);
  EXPECT_EQ(read_only.item(2), 2);
  static_assert(std::is_same_v<decltype(read_only.host()), HostArray<const int>>);
  static_assert(std::is_same_v<decltype(read_only.device()), NDArray<const int>>);
}

TYPED_TEST(TwoFaced, Records) {
  const auto points = this->template make<Point>({3});
  points.fill({1, 2, 3});
  points.field(&Point::y).fill(8);
  EXPECT_EQ(points.host()(1).y, 8);
  EXPECT_EQ(points.template field<double>("mass").item(2), 3);
  const Record<Point> last = points.record(-1);
  last.copy_to_device(Point{4, 5, 6});
  EXPECT_EQ(points.host()(2).mass, 6);
  EXPECT_EQ(last.copy_to_host().x, 4);
}

TYPED_TEST(TwoFaced, ComparesAndPrints) {
  const auto array = this->iota({2, 2});
  EXPECT_EQ(array, this->iota({2, 2}));
  EXPECT_FALSE(array == array.flip(0));
  std::ostringstream text;
  text << array;
  EXPECT_EQ(text.str(), "[[0 1]\n [2 3]]");
}

TYPED_TEST(TwoFaced, C070_EmptyArraysNeedNoMemory) {
  const auto stats = device().resource(TypeParam::kind).stats();
  for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{3, 0}}) {
    const auto array = this->template make<int>(shape);
    EXPECT_EQ(array.host().data(), nullptr);
    EXPECT_EQ(array.device().data(), nullptr);
    array.fill(1);
    array.copy_to_device(array.copy());
    EXPECT_TRUE(array.copy_to_host().empty());
    EXPECT_EQ(array, array.copy());
  }
  EXPECT_EQ(device().resource(TypeParam::kind).stats().allocations, stats.allocations);
  const typename TypeParam::template Array<int> none_yet;
  EXPECT_TRUE(none_yet.host().empty());
  EXPECT_TRUE(none_yet.device().empty());
}

TYPED_TEST(TwoFaced, MemoryIsGivenBack) {
  device().synchronize();
  const auto before = device().resource(TypeParam::kind).stats();
  {
    const auto array = this->iota({1000});
    const auto view = array(slice(10, 20)).device();
    EXPECT_EQ(device().resource(TypeParam::kind).stats().live_blocks, before.live_blocks + 1);
  }
  EXPECT_EQ(device().resource(TypeParam::kind).stats().live_blocks, before.live_blocks);
  EXPECT_THROW(this->template make<int>({1LL << 50}), OutOfMemory);
  EXPECT_EQ(device().resource(TypeParam::kind).stats().live_blocks, before.live_blocks);
}

TEST(MappedArray, FlagsReachTheDevice) {
  const auto array = mapped_array<float>({10}, {.device = device(), .portable = true, .write_combined = true});
  array.fill(1.5F);
  EXPECT_EQ(array.item(9), 1.5F);
  EXPECT_EQ(array.memory_kind(), MemoryKind::mapped);
  EXPECT_THROW(mapped_array<float>(
                   {10}, {.device = device(), .resource = &device().resource(MemoryKind::mapped), .portable = true}),
               AccessError);
}

TEST(MappedArray, OfAnotherDevice) {
  const Device other(device_name() == "toy" ? "toy:1" : "toy:0");
  const auto here = mapped_array<int>({2, 3}, {.device = device()});
  const auto there = mapped_array<int>({2, 3}, {.device = other});
  here.assign(arange<int>(3));
  there.copy_to_device(here);
  EXPECT_EQ(values(there.host()), (std::vector{0, 1, 2, 0, 1, 2}));
  const auto on_device = zeros<int>({3, 2}, {.device = other});
  on_device.copy_to_device(here.transpose());
  EXPECT_EQ(on_device.item(2, 1), 2);
  here.transpose().copy_to_device(on_device.flip(0));
  EXPECT_EQ(values(here.host()), (std::vector{2, 1, 0, 2, 1, 0}));
  EXPECT_EQ(to_device(here, {.device = other}).item(0, 0), 2);
}

TEST(ManagedArray, PrefetchIsAHint) {
  const Stream stream(device());
  const auto array = managed_array<int>({100}, {.stream = stream});
  array.fill(1);
  array.prefetch();
  array.prefetch(stream);
  array(slice(none, none, -2)).prefetch_to_host(stream);
  array.prefetch_to_host();
  EXPECT_EQ(array.host()(99), 1);
  managed_array<int>({0}, {.device = device()}).prefetch();
  const Stream foreign(Device(device_name() == "host" ? "toy" : "host"));
  EXPECT_THROW(array.prefetch(foreign), AccessError);
}

TEST(Records, HaveTheCallsOfArrays) {
  const auto record = to_device(Point{1, 2, 3}, {.device = device()});
  EXPECT_TRUE(record.is_c_contiguous());
  EXPECT_TRUE(record.is_f_contiguous());
  EXPECT_EQ(record.ravel().shape(), (Shape{1}));
  EXPECT_EQ(record.reshape({1, 1}).shape(), (Shape{1, 1}));
  EXPECT_EQ(record.split(4).size(), 1u);
  record.ravel().field(&Point::x).fill(9);
  EXPECT_EQ(record.copy_to_host().x, 9);
  const Stream stream(device());
  EXPECT_EQ(record.copy_to_host(stream).get()().x, 9);
}

}  // namespace
}  // namespace ferry::test
