// The examples of the API that Ferry follows, in its own spelling.
#include <gtest/gtest.h>

#include <vector>

#include "ferry/ferry.hpp"
#include "support/loops.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

using Int64s = std::vector<std::int64_t>;

struct Reading {
  std::int32_t station;
  double height;
  float samples[3];
};
FERRY_RECORD(Reading, station, height, samples);

TEST(SeedExamples, ArangeToTheDeviceAndBack) {
  const auto numbers = arange(10);
  const auto on_device = to_device(numbers, {.device = device()});
  EXPECT_EQ(on_device.shape(), (Shape{10}));
  EXPECT_EQ(on_device.device(), device());
  EXPECT_EQ(on_device.copy_to_host(), numbers);
}

TEST(SeedExamples, IntoAnExistingArray) {
  const auto numbers = arange(10);
  const auto on_device = to_device(numbers, {.device = device()});
  const auto existing = host_array<std::int64_t>(numbers.shape());
  const auto& returned = on_device.copy_to_host(existing);
  EXPECT_EQ(&returned, &existing);
  EXPECT_EQ(existing, numbers);
  Int64s container(10, -1);
  on_device.copy_to_host(container);
  EXPECT_EQ(container, (Int64s{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  std::int64_t c_array[2][5];
  on_device.reshape(2, 5).copy_to_host(c_array);
  EXPECT_EQ(c_array[1][4], 9);
}

TEST(SeedExamples, OnAStream) {
  const Stream stream(device());
  const auto numbers = arange(10);
  const auto on_device = to_device(numbers, {.stream = stream});
  EXPECT_EQ(on_device.stream(), stream);
  EXPECT_EQ(on_device.device(), device());
  auto pending = on_device.copy_to_host(stream);
  EXPECT_EQ(pending.get(), numbers);
  const auto pinned = pinned_array<std::int64_t>({10}, {.device = device()});
  const Transfer transfer = on_device.copy_to_host(pinned, stream);
  transfer.wait();
  EXPECT_TRUE(transfer.ready());
  EXPECT_EQ(pinned, numbers);
  pinned.fill(5);
  on_device.copy_to_device(pinned, stream);
  stream.synchronize();
  EXPECT_EQ(on_device.item(9), 5);
}

// Device memory has a data() and a size() too, and must not be taken for a host container.
TEST(SeedExamples, DeviceToDeviceOnAStream) {
  const Stream stream(device());
  auto source = to_device(arange(6).reshape(2, 3), {.device = device()});
  const auto target = zeros<std::int64_t>({2, 3}, {.device = device()});
  target.copy_to_device(source, stream).wait();
  EXPECT_EQ(target.copy_to_host(), arange(6).reshape(2, 3));
  target.copy_to_device(source.flip(0), stream).wait();
  EXPECT_EQ(target.copy_to_host(), arange(6).reshape(2, 3).flip(0));
  target.copy_to_device(source);
  target.assign(source(1), stream).wait();
  EXPECT_EQ(target.item(0, 2), 5);
  static_assert(!detail::HostSource<NDArray<float>&> && !detail::HostSource<const NDArray<float>>);
  static_assert(detail::HostSource<const HostArray<float>&> && detail::HostSource<std::vector<float>>);
}

TEST(SeedExamples, ToDeviceOptions) {
  const auto numbers = arange(10);
  auto target = zeros<std::int64_t>({10}, {.device = device()});
  const auto result = to_device(numbers, {.to = &target});
  EXPECT_EQ(result.data(), target.data());
  EXPECT_EQ(target.copy_to_host(), numbers);
  const auto untouched = to_device(numbers, {.device = device(), .transfer = false});
  EXPECT_EQ(untouched.shape(), (Shape{10}));
}

TEST(SeedExamples, DeviceArray) {
  const auto array = device_array({2, 3}, {.device = device()});
  static_assert(std::is_same_v<decltype(array)::value_type, double>);
  EXPECT_EQ(array.strides(), (Strides{24, 8}));
  EXPECT_EQ(device_array<float>({2, 3}, {.order = Order::F, .device = device()}).strides(), (Strides{4, 8}));
  const auto gaps = device_array<float>({2, 3}, {.strides = {32, 8}, .device = device()});
  EXPECT_EQ(gaps.strides(), (Strides{32, 8}));
  gaps.copy_to_device(arange<float>(6).reshape(2, 3));
  EXPECT_EQ(gaps.copy_to_host(), arange<float>(6).reshape(2, 3));
  const auto backwards = device_array<float>({4}, {.strides = {-4}, .device = device()});
  backwards.copy_to_device(arange<float>(4));
  EXPECT_EQ(backwards.copy_to_host(), arange<float>(4));
}

TEST(SeedExamples, DeviceArrayLike) {
  const auto column_major = device_array<float>({2, 3}, {.order = Order::F, .device = device()});
  const auto like = device_array_like(column_major);
  static_assert(std::is_same_v<decltype(like)::value_type, float>);
  EXPECT_EQ(like.shape(), (Shape{2, 3}));
  EXPECT_EQ(like.strides(), (Strides{4, 8}));
  EXPECT_EQ(like.device(), device());
  EXPECT_NE(like.data(), column_major.data());
  const auto like_host = device_array_like(arange<float>(6).reshape(2, 3), {.order = Order::K, .device = device()});
  EXPECT_EQ(like_host.strides(), (Strides{12, 4}));
  EXPECT_EQ(like_host.device(), device());
}

TEST(SeedExamples, ThousandElementsThroughAKernel) {
  const auto array = to_device(arange(1000), {.device = device()});
  add_to_each(array.device_view<1>(), 1);
  const auto result = array.copy_to_host();
  for (index_t i = 0; i < 1000; ++i) ASSERT_EQ(result(i), i + 1);
}

TEST(SeedExamples, ReshapeInFortranOrder) {
  const auto array = to_device(arange(1000), {.device = device()});
  const auto matrix = array.reshape({20, 50}, Order::F);
  EXPECT_EQ(matrix.shape(), (Shape{20, 50}));
  EXPECT_TRUE(matrix.is_f_contiguous());
  EXPECT_FALSE(matrix.is_c_contiguous());
  EXPECT_EQ(matrix.data(), array.data());
  const auto host = matrix.copy_to_host();
  for (index_t i = 0; i < 20; ++i) {
    for (index_t j = 0; j < 50; ++j) ASSERT_EQ(host(i, j), i + 20 * j);
  }
}

TEST(SeedExamples, Ravel) {
  const auto matrix = to_device(arange(6).reshape(2, 3), {.device = device()});
  EXPECT_EQ(matrix.ravel().data(), matrix.data());
  EXPECT_EQ(matrix.ravel().copy_to_host(), arange(6));
  EXPECT_EQ(matrix.ravel(Order::F).copy_to_host(), host_view(Int64s{0, 3, 1, 4, 2, 5}.data(), {6}).copy());
}

TEST(SeedExamples, SplitWithASmallerLastPart) {
  const auto parts = to_device(arange(10), {.device = device()}).split(4);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].copy_to_host(), arange(4));
  EXPECT_EQ(parts[1].copy_to_host(), arange(8)(slice(4, none)));
  EXPECT_EQ(parts[2].copy_to_host(), arange(10)(slice(8, none)));
}

TEST(SeedExamples, RecordThereAndBack) {
  const Reading sent{7, 12.5, {1, 2, 3}};
  const auto record = to_device(sent, {.device = device()});
  static_assert(std::is_same_v<decltype(record), const Record<Reading>>);
  const Reading received = record.copy_to_host();
  EXPECT_EQ(received.station, 7);
  EXPECT_EQ(received.height, 12.5);
  EXPECT_EQ(received.samples[2], 3.0F);
  record.copy_to_device(Reading{8, 1.5, {4, 5, 6}});
  EXPECT_EQ(record.field(&Reading::station).item(), 8);
  EXPECT_EQ(record.field<float>("samples").item(1), 5.0F);
  const Stream stream(device());
  Reading later{};
  record.copy_to_host(later, stream).wait();
  EXPECT_EQ(later.height, 1.5);
  Reading existing{};
  record.copy_to_host(existing);
  EXPECT_EQ(existing.station, 8);
}

TEST(SeedExamples, RecordOfAnArray) {
  const std::vector<Reading> readings{{1, 1.0, {}}, {2, 2.0, {}}};
  const auto array = to_device(readings, {.device = device()});
  const auto second = array.record(1);
  second.copy_to_device(Reading{3, 3.0, {}});
  EXPECT_EQ(array.field(&Reading::station).copy_to_host()(1), 3);
  second.copy_to_device(array.record(0));
  EXPECT_EQ(second.copy_to_host().height, 1.0);
}

}  // namespace
}  // namespace ferry::test
