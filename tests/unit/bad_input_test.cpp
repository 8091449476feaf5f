// What cannot be done is refused before anything is touched, by a typed error that names both sides.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ferry/ferry.hpp"
#include "support/error_text.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

using Floats = std::vector<float>;

struct Point {
  float x, y;
  double mass;
};
FERRY_RECORD(Point, x, y, mass);

// Every test ends with the array's elements, and the count of live memory, as they were at its start.
class BadInput : public ::testing::Test {
 protected:
  void SetUp() override { before_ = resource().stats(); }
  void TearDown() override {
    EXPECT_EQ(array.copy_to_host(), original_) << "something was written";
    device().synchronize();
    EXPECT_EQ(resource().stats().live_blocks, before_.live_blocks) << "something leaked";
    EXPECT_EQ(resource().stats().live_bytes, before_.live_bytes);
  }
  static MemoryResource& resource() { return device().resource(); }

  HostArray<float> original_ = arange<float>(12).reshape(3, 4);
  MemoryStats before_;

 public:
  NDArray<float> array = to_device(original_, {.device = device()});
};

TEST_F(BadInput, NegativeExtents) {
  const Alloc alloc{.device = device()};
  expect_error<ShapeError>([&] { device_array<float>({3, -1}, alloc); }, {"(3, -1)", "negative"});
  expect_error<ShapeError>([&] { device_array<float>({-3, -4}, alloc); }, {"(-3, -4)"});
  expect_error<ShapeError>([&] { device_array<float>({0, -4}, alloc); }, {"(0, -4)"});
  expect_error<ShapeError>([&] { host_array<float>({-1}); }, {"(-1,)"});
  expect_error<ShapeError>([&] { array.broadcast_to({3, -4}); }, {"(3, 4)", "(3, -4)"});
  expect_error<ShapeError>([&] { array.as_strided({-1}, {4}); }, {"(-1,)"});
  expect_error<ShapeError>([&] { arange(-1); }, {"(-1,)"});
}

TEST_F(BadInput, OverflowingShapes) {
  const Alloc alloc{.device = device()};
  expect_error<ShapeError>([&] { device_array<float>({1LL << 32, 1LL << 32}, alloc); }, {"(4294967296, 4294967296)"});
  expect_error<ShapeError>([&] { device_array<float>({INT64_MAX}, alloc); }, {"9223372036854775807"});
  expect_error<ShapeError>([&] { device_array<float>({0, 1LL << 32, 1LL << 32}, alloc); }, {"(0, 4294967296"});
  expect_error<ShapeError>([&] { device_array<float>({UINT64_MAX}, alloc); }, {"18446744073709551615"});
  expect_error<ShapeError>([&] { array.view().broadcast_to({1LL << 40, 1LL << 40, 3, 4}); }, {"(1099511627776"});
  expect_error<LayoutError>([&] { array.as_strided({3}, {INT64_MAX}); }, {"9223372036854775807"});
  expect_error<LayoutError>([&] { array.as_strided({2, 2}, {INT64_MAX, INT64_MAX}); }, {"9223372036854775807"});
  expect_error<ShapeError>([&] { device_array<float>(Shape::filled(65, 1), alloc); }, {"65", "64"});
}

TEST_F(BadInput, Reshapes) {
  expect_error<ShapeError>([&] { array.reshape(-1, -1); }, {"(3, 4)", "(-1, -1)"});
  expect_error<ShapeError>([&] { array.reshape(5, 2); }, {"(3, 4)", "(5, 2)"});
  expect_error<ShapeError>([&] { array.reshape(-1, 5); }, {"(3, 4)", "(-1, 5)"});
  expect_error<ShapeError>([&] { array.reshape(-3, -4); }, {"(3, 4)", "(-3, -4)"});
  expect_error<ShapeError>([&] { array.reshape({12}, Order::K); }, {"K"});
  expect_error<LayoutError>([&] { array.transpose().reshape({12}, Order::C, Copy::never); }, {"(4, 3)", "(12,)"});
  expect_error<LayoutError>([&] { array.transpose().ravel(Order::C, Copy::never); }, {"(4, 3)", "(12,)"});
}

TEST_F(BadInput, StridesThatLeaveTheAllocation) {
  expect_error<LayoutError>([&] { array.as_strided({13}, {4}); }, {"(13,)", "52", "48"});
  expect_error<LayoutError>([&] { array.as_strided({2}, {-4}); }, {"(-4,)", "-4"});
  expect_error<LayoutError>([&] { array.as_strided({12}, {4}, 1); }, {"49", "48"});
  expect_error<LayoutError>([&] { array(2).as_strided({5}, {4}); }, {"52", "48"});
  expect_error<ShapeError>([&] { array.as_strided({3, 4}, {4}); }, {"(3, 4)", "(4,)"});
  expect_error<LayoutError>([&] { array.as_strided({1}, {4}, INT64_MIN); }, {});
  const Alloc alloc{.strides = {4}, .device = device()};
  expect_error<ShapeError>([&] { device_array<float>({3, 4}, alloc); }, {"(3, 4)", "(4,)"});
  expect_error<LayoutError>([&] { device_array<float>({4}, {.strides = {2}, .device = device()}); }, {"(4,)", "(2,)"});
}

TEST_F(BadInput, WrongShapes) {
  expect_error<ShapeError>([&] { array.copy_to_device(Floats(12)); }, {"copy_to_device", "(12,)", "(3, 4)", "float32"});
  expect_error<ShapeError>([&] { array.copy_to_device(host_array<float>({4, 3})); }, {"(4, 3)", "(3, 4)"});
  expect_error<ShapeError>([&] { array.copy_to_device(array.transpose()); }, {"(4, 3)", "(3, 4)"});
  expect_error<ShapeError>([&] { array.copy_to_device(array(0)); }, {"(4,)", "(3, 4)"});
  Floats target(11, -1.0F);
  expect_error<ShapeError>([&] { array.copy_to_host(target); }, {"copy_to_host", "(11,)", "(3, 4)"});
  EXPECT_EQ(target, Floats(11, -1.0F));
  expect_error<ShapeError>([&] { array.assign(Floats(3)); }, {"assign", "(3,)", "(3, 4)"});
  expect_error<ShapeError>([&] { array(0).assign(array); }, {"(3, 4)", "(4,)"});
  const Stream stream(device());
  expect_error<ShapeError>([&] { array.copy_to_device(array(0), stream); }, {"(4,)", "(3, 4)"});
}

TEST_F(BadInput, WrongShapesOfEmptyArrays) {
  const auto empty = device_array<float>({0, 4}, {.device = device()});
  expect_error<ShapeError>([&] { array.copy_to_device(empty); }, {"(0, 4)", "(3, 4)"});
  expect_error<ShapeError>([&] { empty.copy_to_device(array); }, {"(3, 4)", "(0, 4)"});
  expect_error<ShapeError>([&] { empty.copy_to_device(Floats()); }, {"(0,)", "(0, 4)"});
  expect_error<ShapeError>([&] { array.assign(Floats()); }, {"(0,)", "(3, 4)"});
  expect_error<ShapeError>([&] { NDArray<float>().copy_to_device(Floats{1}); }, {"(1,)", "(0,)"});
}

TEST_F(BadInput, Slices) {
  expect_error<IndexError>([&] { array(slice(none, none, 0)); }, {"step 0", "(3, 4)"});
  expect_error<IndexError>([&] { array(3); }, {"index 3", "axis 0", "(3, 4)"});
  expect_error<IndexError>([&] { array(0, -5); }, {"index -5", "axis 1", "(3, 4)"});
  expect_error<IndexError>([&] { array(INT64_MIN); }, {"(3, 4)"});
  expect_error<IndexError>([&] { array(0, 0, 0); }, {"3 entries", "(3, 4)"});
  expect_error<IndexError>([&] { array(ellipsis, 0, ellipsis); }, {"ellipsis"});
  expect_error<IndexError>([&] { array.item(0, 4); }, {"index 4", "(3, 4)"});
  expect_error<ShapeError>([&] { array.item(0); }, {"item", "(3, 4)"});
  expect_error<IndexError>([&] { original_(3, 0); }, {"(3, 0)", "(3, 4)"});
  expect_error<IndexError>([&] { original_(0); }, {"(0,)", "(3, 4)"});
}

TEST_F(BadInput, Axes) {
  expect_error<ShapeError>([&] { array.permute({0}); }, {"(0,)", "(3, 4)"});
  expect_error<ShapeError>([&] { array.permute({0, 2}); }, {"2", "(3, 4)"});
  expect_error<ShapeError>([&] { array.permute({0, -3}); }, {"-3", "(3, 4)"});
  expect_error<ShapeError>([&] { array.permute({1, 1}); }, {"twice", "(1, 1)"});
  expect_error<ShapeError>([&] { array.permute({1, -1}); }, {"twice", "(1, -1)"});
  expect_error<ShapeError>([&] { array.squeeze({0}); }, {"axis 0", "(3, 4)"});
  expect_error<ShapeError>([&] { array.flip(2); }, {"2", "(3, 4)"});
  expect_error<ShapeError>([&] { array.split(1, 2); }, {"split", "2", "(3, 4)"});
  expect_error<ShapeError>([&] { array.split(0); }, {"split", "0", "(3, 4)"});
  expect_error<ShapeError>([&] { split_at(array, Dims{1}, -3); }, {"split_at", "-3", "(3, 4)"});
  expect_error<ShapeError>([&] { array_split(array, 2, 5); }, {"array_split", "5", "(3, 4)"});
  expect_error<ShapeError>([&] { array_split(array, 0); }, {"array_split", "0", "(3, 4)"});
  expect_error<ShapeError>([&] { array.device_view<1>(); }, {"device_view", "1", "(3, 4)"});
}

TEST_F(BadInput, Fields) {
  const auto points = zeros<Point>({3}, {.device = device()});
  expect_error<DTypeError>([&] { points.field<float>("z"); }, {"'z'", "mass"});
  expect_error<DTypeError>([&] { points.field<float>("mass"); }, {"float32", "float64"});
  expect_error<DTypeError>([&] { points.field<std::int32_t>("x"); }, {"int32", "float32"});
  expect_error<DTypeError>([&] { array.field<float>("x"); }, {"'x'", "float32"});
  expect_error<LayoutError>([&] { array.transpose().view_as<double>(); }, {"(4, 3)", "4 bytes", "8 bytes"});
  expect_error<LayoutError>([&] { array(slice(), slice(3)).view_as<double>(); }, {"(3, 3)"});
}

TEST_F(BadInput, RecordDescriptions) {
  const DType f4 = dtype_of<float>();
  expect_error<DTypeError>([&] { DType::record({{"a", f4, 0}, {"a", f4, 4}}, 8, 4); }, {"'a'"});
  expect_error<DTypeError>([&] { DType::record({{"a", f4, 5}}, 8, 4); }, {"'a'", "offset 5", "8 bytes"});
  expect_error<DTypeError>([&] { DType::record({{"a", f4, -1}}, 8, 4); }, {"'a'", "-1"});
  expect_error<DTypeError>([&] { DType::record({{"", f4, 0}}, 8, 4); }, {"name"});
  expect_error<DTypeError>([&] { DType::record({{"a", f4, 0, {-1}}}, 8, 4); }, {"'a'"});
  expect_error<DTypeError>([&] { DType::record({{"a", f4, 0, {1LL << 62, 8}}}, 8, 4); }, {"'a'"});
  expect_error<DTypeError>([&] { DType::scalar(Kind::floating, 3); }, {"3 bytes"});
}

TEST_F(BadInput, Devices) {
  expect_error<BackendUnavailable>([] { Device("host:7"); }, {"host", "7"});
  expect_error<BackendUnavailable>([] { Device("nonesuch:0"); }, {"nonesuch"});
  expect_error<BackendUnavailable>([] { Device("toy:99"); }, {"toy", "99"});
  expect_error<AccessError>([] { Device(""); }, {});
  expect_error<AccessError>([] { Device("cuda:"); }, {"cuda:"});
  expect_error<AccessError>([] { Device("cuda:-1"); }, {"cuda:-1"});
  expect_error<AccessError>([] { Device("cuda:1x"); }, {"cuda:1x"});
}

TEST_F(BadInput, StreamOfAnotherDevice) {
  const Device other(device_name() == "host" ? "toy" : "host");
  const Stream stream(other);
  expect_error<AccessError>([&] { device_array<float>({3}, {.stream = stream, .device = device()}); },
                            {other.name(), device().name()});
  expect_error<AccessError>([&] { array.copy(Order::K, stream); }, {other.name(), device().name()});
  expect_error<AccessError>([&] { array.fill(1.0F, stream); }, {other.name(), device().name()});
}

TEST_F(BadInput, NullPointers) {
  expect_error<LifetimeError>([] { wrap<float>(nullptr, {3, 4}, {}, device()); }, {"wrap", "(3, 4)"});
  expect_error<LifetimeError>([] { host_view<float>(nullptr, {3, 4}); }, {"host_view", "(3, 4)"});
}

TEST_F(BadInput, MoreMemoryThanThereIs) {
  const auto allocations = resource().stats().allocations;
  const Alloc alloc{.device = device(), .label = "huge"};
  expect_error<OutOfMemory>([&] { device_array<float>({1LL << 50}, alloc); },
                            {device().name(), "4503599627370496 bytes"});
  expect_error<OutOfMemory>([&] { zeros<float>({1LL << 30, 1LL << 20}, alloc); }, {"4503599627370496"});
  expect_error<OutOfMemory>([&] { full<float>({1}, 1.0F, {.device = device()}).broadcast_to({1LL << 50}).copy(); }, {});
  expect_error<OutOfMemory>([&] { pinned_array<float>({1LL << 50}, {.device = device()}); }, {"4503599627370496"});
  expect_error<OutOfMemory>([&] { host_array<float>({1LL << 50}); }, {"host", "4503599627370496"});
  EXPECT_LE(resource().stats().allocations, allocations + 1);
  // The device goes on working.
  EXPECT_EQ(full<float>({2}, 1.0F, {.device = device()}).item(1), 1.0F);
}

TEST_F(BadInput, OutOfMemoryNamesTheLargestLabels) {
  const auto labelled = device_array<float>({256}, {.device = device(), .label = "the map"});
  expect_error<OutOfMemory>([&] { device_array<float>({1LL << 50}, {.device = device()}); }, {"the map"});
}

}  // namespace
}  // namespace ferry::test
