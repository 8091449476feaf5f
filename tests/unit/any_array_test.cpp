// Arrays whose element type is known at run time: views, fields, conversion to typed arrays and back, transfers.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <ferry/ferry.hpp>
#include <sstream>
#include <vector>

#include "support/error_text.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

struct Vec {
  double x, y;
};
FERRY_RECORD(Vec, x, y);

struct Body {
  std::int32_t id;
  Vec position;
  float uv[2][3];
};
FERRY_RECORD(Body, id, position, uv);

std::vector<Body> bodies() {
  return {{1, {1.5, 2.5}, {{0, 1, 2}, {3, 4, 5}}}, {2, {3.5, 4.5}, {{6, 7, 8}, {9, 10, 11}}}};
}

// 1, 2, 3 as another machine would hold them.
AnyArray swapped_ints() {
  const AnyArray array = host_array({3}, DType::scalar(Kind::signed_integer, 4, 0, ByteOrder::swapped));
  const unsigned char bytes[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 1, 3};
  std::memcpy(array.mutable_data(), bytes, sizeof bytes);
  return array;
}

TEST(AnyArrays, DefaultIsEmpty) {
  const AnyArray array;
  EXPECT_EQ(array.shape(), (Shape{0}));
  EXPECT_EQ(array.nbytes(), 0);
  EXPECT_TRUE(array.is_on_host());
  EXPECT_EQ(array.to_string(), "[]");
}

TEST(AnyArrays, FromATypedArrayAndBack) {
  const auto typed = arange<float>(12).reshape(3, 4);
  const AnyArray any = typed.transpose();
  EXPECT_EQ(any.dtype(), dtype_of<float>());
  EXPECT_EQ(any.shape(), (Shape{4, 3}));
  EXPECT_EQ(any.strides(), (Strides{4, 16}));
  EXPECT_FALSE(any.is_read_only());
  EXPECT_TRUE(any.is_f_contiguous());
  any.as<float>()(1, 2) = 100;
  EXPECT_EQ(typed(2, 1), 100.0F) << "a view of the same memory";
  const AnyArray constant = HostArray<const float>(typed);
  EXPECT_TRUE(constant.is_read_only());
  EXPECT_EQ(constant.as<const float>()(2, 1), 100.0F);
}

TEST(AnyArrays, AnotherTypeIsRefusedByBothNames) {
  const AnyArray any = arange<float>(3);
  expect_error<DTypeError>([&] { any.as<double>(); }, {"as", "float64", "float32"});
  expect_error<DTypeError>([&] { any.as<std::int32_t>(); }, {"int32", "float32"});
  expect_error<DTypeError>([&] { any.item<double>(0); }, {"item", "float64", "float32"});
  expect_error<DTypeError>([&] { any.as<Vec>(); }, {"{x: float64 @0, y: float64 @8, size 16}", "float32"});
  expect_error<AccessError>([&] { any.as_device<float>(); }, {"as_device", "pageable", "to_device"});
}

TEST(AnyArrays, ReadOnlyMemoryIsNotWritten) {
  const auto typed = arange<float>(3);
  const AnyArray any = HostArray<const float>(typed);
  expect_error<AccessError>([&] { any.as<float>(); }, {"read-only", "const"});
  expect_error<AccessError>([&] { static_cast<void>(any.mutable_data()); }, {"read-only"});
  expect_error<AccessError>([&] { any.assign(AnyArray(typed)); }, {"assign", "read-only"});
  expect_error<AccessError>(
      [&] {
        to_device(typed, {.device = device()}).copy_to_host(typed);
        AnyArray(to_device(typed, {.device = device()})).copy_to_host(any);
      },
      {"copy_to_host", "read-only"});
  EXPECT_TRUE(AnyArray(typed).broadcast_to({2, 3}).is_read_only());
  EXPECT_TRUE(any.view(slice(1, none)).is_read_only());
  EXPECT_FALSE(any.copy().is_read_only());
}

TEST(AnyArrays, Views) {
  const auto typed = arange<std::int16_t>(24).reshape(2, 3, 4);
  const AnyArray any = typed;
  EXPECT_EQ(any(slice(), 1, slice(none, none, -2)), AnyArray(typed(slice(), 1, slice(none, none, -2))));
  EXPECT_EQ(any(1, 2, 3).ndim(), 0u);
  EXPECT_EQ(any(1, 2, 3).as<std::int16_t>()(), 23);
  EXPECT_EQ(any.permute({2, 0, 1}).as<std::int16_t>(), typed.permute({2, 0, 1}));
  EXPECT_EQ(any.flip(-1).as<std::int16_t>(), typed.flip(-1));
  EXPECT_EQ(any(slice(0, 1)).squeeze().shape(), (Shape{3, 4}));
  EXPECT_EQ(any(slice(0, 1)).squeeze({0}).shape(), (Shape{3, 4}));
  EXPECT_EQ(any.reshape(4, -1).as<std::int16_t>(), typed.reshape(4, 6));
  EXPECT_EQ(any.reshape({24}, Order::F).as<std::int16_t>(), typed.ravel(Order::F));
  EXPECT_EQ(any.ravel().data(), any.data());
  EXPECT_EQ(any.view_as(dtype_of<std::int64_t>()).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(any.as_strided({2, 2}, {2, 2}).as<std::int16_t>()(1, 1), 2);
  EXPECT_EQ(any.split(2, 1).size(), 2u);
  EXPECT_EQ(any.split(2, 1)[1].shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(array_split(any, 3, 2)[0].shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(split_at(any, {1, 2}, 1)[2].shape(), (Shape{2, 1, 4}));
  EXPECT_THROW(any(2), IndexError);
  EXPECT_THROW(any.reshape(5, 5), ShapeError);
  EXPECT_THROW(array_split(any, 0), ShapeError);
  EXPECT_THROW(any.transpose().reshape({24}, Order::C, Copy::never), LayoutError);
}

TEST(AnyArrays, AViewKeepsTheMemory) {
  AnyArray row;
  {
    const AnyArray whole = arange<std::int64_t>(6).reshape(2, 3);
    row = whole(1);
  }
  EXPECT_EQ(row.to_string(), "[3 4 5]");
}

TEST(AnyArrays, FieldsByName) {
  const auto records = bodies();
  const AnyArray any = to_device(records, {.device = device()});
  EXPECT_FALSE(any.is_on_host());
  EXPECT_EQ(any.field("id").dtype(), dtype_of<std::int32_t>());
  EXPECT_EQ(any.field("id").strides(), (Strides{sizeof(Body)}));
  EXPECT_EQ(any.field("position").field("y").copy_to_host().as<double>()(1), 4.5);
  const AnyArray uv = any.field("uv");
  EXPECT_EQ(uv.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(uv.item<float>(1, 1, 2), 11.0F);
  EXPECT_EQ(any.record(1).field("uv").shape(), (Shape{2, 3}));
  EXPECT_EQ(any.record(-1).field("position").field("x").item<double>(), 3.5);
  EXPECT_EQ(any.item<Body>(0).uv[1][0], 3.0F);
  any.field("id").as_device<std::int32_t>().fill(7);
  EXPECT_EQ(any.item<Body>(1).id, 7);
  expect_error<DTypeError>([&] { any.field("mass"); }, {"mass", "position"});
  expect_error<DTypeError>([&] { any.field("id").field("x"); }, {"'x'", "int32"});
  expect_error<DTypeError>([&] { any.field("id").record(0); }, {"record", "int32"});
  EXPECT_THROW(any.record(2), IndexError);
  EXPECT_THROW(any.record(), ShapeError);
}

TEST(AnyArrays, RecordsMadeUpAtRunTime) {
  const DType point = DType::packed_record({{"x", dtype_of<float>()}, {"y", dtype_of<float>()}});
  const DType dtype = DType::aligned_record(
      {{"tag", dtype_of<std::uint8_t>()}, {"corner", point, 0, {2, 2}}, {"z", dtype_of<std::complex<double>>()}});
  const AnyArray array = host_array({4}, dtype);
  const auto bytes = array.view_as(dtype_of<std::uint8_t>()).as<std::uint8_t>();
  bytes.fill(0);
  array.field("tag").as<std::uint8_t>()(2) = 200;
  array.field("corner").field("y").as<float>().fill(2.5F);
  array.field("z").as<std::complex<double>>()(3) = {1, -1};
  EXPECT_EQ(array.field("corner").shape(), (Shape{4, 2, 2}));
  EXPECT_EQ(array.record(2).to_string(), "(200, [[(0., 2.5), (0., 2.5)], [(0., 2.5), (0., 2.5)]], 0.+0.j)");
  const AnyArray there = to_device(array, {.device = device()});
  EXPECT_EQ(there.dtype(), dtype);
  EXPECT_EQ(there, array);
  EXPECT_EQ(there.field("z").item<std::complex<double>>(3), (std::complex<double>{1, -1}));
  EXPECT_EQ(there(slice(none, none, 2)).copy_to_host().field("tag").as<std::uint8_t>()(1), 200);
}

TEST(AnyArrays, AStructTakesARecordOfTheSameValues) {
  // As a file describes it: nothing is known of alignment.
  const DType found = DType::record({{"x", dtype_of<double>(), 0}, {"y", dtype_of<double>(), 8}}, 16, 1);
  EXPECT_FALSE(found == dtype_of<Vec>());
  const AnyArray any = host_array({2}, found);
  const auto typed = any.as<Vec>();
  typed(1) = {1, 2};
  EXPECT_EQ(any.field("y").as<double>()(1), 2.0);
  EXPECT_EQ(any, AnyArray(typed));
  const NDArray<Vec> there = device_array<Vec>({2}, {.device = device()});
  AnyArray(there).copy_to_device(any);
  EXPECT_EQ(there.item(1).y, 2.0);
}

TEST(AnyArrays, AStructNobodyDescribedTakesAnyElementOfItsSize) {
  struct Opaque {
    std::byte bytes[16];
  };
  const AnyArray any = host_view(std::vector<Vec>{{1, 2}}.data(), {1}).copy();
  EXPECT_EQ(any.as<Opaque>().shape(), (Shape{1}));
  EXPECT_THROW(AnyArray(arange<double>(2)).as<Opaque>(), DTypeError);
}

TEST(AnyArrays, TheOtherByteOrderIsConvertedOnTheWayOut) {
  const AnyArray any = swapped_ints();
  EXPECT_TRUE(any.dtype().is_swapped());
  EXPECT_EQ(any.dtype().name(), ">int32");
  EXPECT_EQ(any.to_string(), "[  1   2 259]");
  const auto native = any.as<std::int32_t>();
  EXPECT_EQ(native, host_view(std::vector<std::int32_t>{1, 2, 259}.data(), {3}).copy());
  EXPECT_NE(static_cast<const void*>(native.data()), any.data()) << "a conversion is a copy";
  EXPECT_EQ(any.item<std::int32_t>(2), 259);
  EXPECT_EQ(any, AnyArray(native));
  EXPECT_EQ(any.astype(dtype_of<double>()).as<double>()(2), 259.0);
  EXPECT_EQ(any(slice(none, none, -1)).as<const std::int32_t>()(0), 259);
  const AnyArray back = AnyArray(native).astype(any.dtype());
  EXPECT_EQ(std::memcmp(back.data(), any.data(), 12), 0);
  expect_error<DTypeError>([&] { AnyArray(native).assign(any); }, {"int32", ">int32"});
}

TEST(AnyArrays, TheOtherByteOrderOnTheDevice) {
  const AnyArray any = swapped_ints();
  const AnyArray there = to_device(any, {.device = device()});
  EXPECT_FALSE(there.dtype().is_swapped()) << "kernels know one order only";
  EXPECT_EQ(there.as_device<std::int32_t>().item(2), 259);
  // Foreign device memory may still hold it.
  const auto bytes = to_device(any.view_as(dtype_of<std::uint8_t>()).as<std::uint8_t>(), {.device = device()});
  const AnyArray foreign = wrap(bytes.data(), any.dtype(), {3}, {}, device());
  EXPECT_EQ(foreign.item<std::int32_t>(2), 259);
  EXPECT_EQ(foreign.as_device<std::int32_t>().item(1), 2);
  EXPECT_EQ(foreign.to_string(), "[  1   2 259]");
  EXPECT_THROW(there.astype(any.dtype()), DTypeError);
}

TEST(AnyArrays, RecordsOfTheOtherByteOrder) {
  const DType big = DType::scalar(Kind::floating, 8, 0, ByteOrder::swapped);
  const DType dtype = DType::record({{"n", dtype_of<std::int32_t>(), 0}, {"v", big, 4, {2}}}, 20, 1);
  EXPECT_TRUE(dtype.is_swapped());
  EXPECT_FALSE(dtype.native().is_swapped());
  const AnyArray native = host_array({2}, dtype.native());
  native.field("n").as<std::int32_t>().fill(3);
  native.field("v").as<double>().fill(0.5);
  const AnyArray swapped = native.astype(dtype);
  EXPECT_EQ(swapped, native);
  EXPECT_EQ(swapped.field("v").as<double>()(1, 1), 0.5);
  EXPECT_EQ(swapped.data()[4], std::byte{0x3f});
  EXPECT_EQ(swapped.data()[0], std::byte{3});
}

TEST(AnyArrays, Transfers) {
  const AnyArray source = arange<double>(6).reshape(2, 3);
  const AnyArray there = device_array({3, 2}, dtype_of<double>(), {.order = Order::F, .device = device()});
  there.copy_to_device(source.transpose());
  EXPECT_EQ(there.copy_to_host(), source.transpose());
  const Stream stream(device());
  const AnyArray result = pinned_array({2, 3}, dtype_of<double>(), {.device = device()});
  there.transpose().copy_to_host(result, stream).wait();
  EXPECT_EQ(result, source);
  EXPECT_EQ(there.copy_to_host(stream).get(), source.transpose());
  there.assign(source(0, slice(0, 2)), stream).wait();
  EXPECT_EQ(there.to_string(), "[[0. 1.]\n [0. 1.]\n [0. 1.]]");
  const AnyArray other = there.copy(Order::C, stream);
  other.copy_to_device(to_device(source.transpose(), {.device = device()}));
  EXPECT_EQ(other, source.transpose());
  EXPECT_EQ(there.bind(stream).stream(), stream);
  expect_error<ShapeError>([&] { there.copy_to_device(source); }, {"(3, 2)", "(2, 3)"});
  expect_error<DTypeError>([&] { there.copy_to_device(AnyArray(arange<float>(6).reshape(3, 2))); },
                           {"float64", "float32"});
  expect_error<AccessError>([&] { there.copy_to_host(there); }, {"copy_to_host", "device"});
  expect_error<AccessError>([&] { source.copy_to_device(there); }, {"copy_to_device", "pageable"});
}

TEST(AnyArrays, ToDeviceOptions) {
  const AnyArray source = arange<double>(6).reshape(2, 3);
  AnyArray target = device_array({2, 3}, dtype_of<double>(), {.device = device()});
  const AnyArray result = to_device(source, {.device = device(), .to = &target});
  EXPECT_EQ(result.data(), target.data());
  EXPECT_EQ(target, source);
  EXPECT_EQ(to_device(source, {.device = device(), .transfer = false}).shape(), (Shape{2, 3}));
  const Stream stream(device());
  const AnyArray queued = to_device(source, {.order = Order::F, .stream = stream});
  EXPECT_EQ(queued.stream(), stream);
  EXPECT_TRUE(queued.is_f_contiguous());
  EXPECT_EQ(queued.as_device<double>().item(1, 0), 3.0);
}

TEST(AnyArrays, Conversion) {
  const AnyArray source = to_device(std::vector<double>{-1.5, 0, 300}, {.device = device()});
  EXPECT_EQ(source.astype(dtype_of<std::uint8_t>()).to_string(), "[  0   0 255]");
  EXPECT_EQ(source.astype(dtype_of<bool>()).to_string(), "[ True False  True]");
  EXPECT_EQ(source.astype(source.dtype()), source);
  EXPECT_THROW(source.astype(dtype_of<Vec>()), DTypeError);
}

TEST(AnyArrays, EqualityIsThatOfValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(AnyArray(host_view(&nan, {1})) == AnyArray(host_view(&nan, {1})));
  const double zeros[] = {0.0, -0.0};
  EXPECT_EQ(AnyArray(host_view(zeros, {1})), AnyArray(host_view(zeros + 1, {1})));
  // Bytes that no field names do not count.
  const DType gap = DType::record({{"a", dtype_of<std::uint8_t>(), 1}}, 3, 1);
  const unsigned char x[] = {1, 2, 3}, y[] = {9, 2, 9}, z[] = {1, 3, 3};
  EXPECT_EQ(host_view(x, gap, {1}), host_view(y, gap, {1}));
  EXPECT_FALSE(host_view(x, gap, {1}) == host_view(z, gap, {1}));
  EXPECT_FALSE(AnyArray(arange<float>(3)) == AnyArray(arange<double>(3)));
  EXPECT_FALSE(AnyArray(arange<float>(3)) == AnyArray(arange<float>(3).reshape(3, 1)));
  const unsigned char one[] = {1}, two[] = {2};
  EXPECT_EQ(host_view(one, dtype_of<bool>(), {}), host_view(two, dtype_of<bool>(), {}));
}

TEST(AnyArrays, ForeignMemoryKeepsItsOwner) {
  auto owner = std::make_shared<std::vector<int>>(std::vector<int>{1, 2, 3});
  const std::weak_ptr<std::vector<int>> watch = owner;
  AnyArray view = host_view(static_cast<void*>(owner->data()), dtype_of<int>(), {3}, {}, owner);
  owner.reset();
  const AnyArray tail = view(slice(1, none));
  view = AnyArray();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(tail.item<int>(1), 3);
  const HostArray<int> typed = tail.as<int>();
  EXPECT_EQ(typed(0), 2);
}

TEST(AnyArrays, ElementsOfNoBytes) {
  const DType big = DType::scalar(Kind::floating, 8, 0, ByteOrder::swapped);
  const DType nothing = DType::record({{"s", DType::scalar(Kind::bytes, 0), 0, {2}}, {"f", big, 0, {0, 3}}}, 0, 1);
  const AnyArray array = host_array({2, 3}, nothing);
  EXPECT_EQ(array.nbytes(), 0);
  EXPECT_EQ(array.copy().shape(), (Shape{2, 3}));
  EXPECT_EQ(array.transpose().reshape(6), array.to_native().reshape(6));
  const AnyArray there = to_device(array, {.device = device()});
  EXPECT_EQ(there, array);
  EXPECT_EQ(there(slice(), 1).copy_to_host().to_string(), "[([b'', b''], []) ([b'', b''], [])]");
  EXPECT_EQ(there.field("f").shape(), (Shape{2, 3, 0, 3}));
  EXPECT_THROW(there.copy_to_device(array.to_native()(0)), ShapeError);
}

TEST(AnyArrays, Printing) {
  std::ostringstream out;
  out << AnyArray(to_device(bodies(), {.device = device()}).field(&Body::id));
  EXPECT_EQ(out.str(), "[1 2]");
}

TEST(AnyArrays, AlignmentIsThatOfTheType) {
  const DType packed = DType::packed_record({{"a", dtype_of<std::uint8_t>()}, {"b", dtype_of<double>()}});
  const AnyArray records = host_array({3}, packed);
  EXPECT_TRUE(records.is_aligned());
  EXPECT_FALSE(records.field("b").is_aligned());
  EXPECT_THROW(records.field("b").as<double>()(0), LayoutError);
  EXPECT_TRUE(records.field("b").copy().is_aligned());
}

}  // namespace
}  // namespace ferry::test
