// FERRY_RECORD: the fields of structs of every make, their offsets being the compiler's.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <ferry/ferry.hpp>
#include <vector>

#include "support/test_device.hpp"

namespace elsewhere {

// In a namespace of its own, as a user's struct is.
struct Point {
  float x, y;
};
FERRY_RECORD(Point, x, y);

}  // namespace elsewhere

namespace ferry::test {
namespace {

struct Undescribed {
  std::int16_t a, b, c;
};
enum class Phase : std::uint8_t { solid, liquid };

struct Everything {
  bool flag;
  Phase phase;
  long double wide;
  std::complex<float> amplitude;
  elsewhere::Point corners[2][3];
  std::array<double, 4> quaternion;
  std::array<std::array<std::int16_t, 2>, 3> table[2];
  std::array<elsewhere::Point, 2> ends;
  Undescribed rest;
  const int fixed = 3;
};
FERRY_RECORD(Everything, flag, phase, wide, amplitude, corners, quaternion, table, ends, rest, fixed);

struct Base {
  std::int32_t id;
  double mass;
};
struct Other {
  std::int16_t charge;
};
struct Derived : Base, Other {
  float radius;
};
FERRY_RECORD(Derived, id, mass, charge, radius);

#pragma pack(push, 1)
struct PackedInner {
  std::uint8_t tag;
  double value;
};
struct PackedOuter {
  char first;
  PackedInner inner[2];
  elsewhere::Point point;
};
#pragma pack(pop)
FERRY_RECORD(PackedInner, tag, value);
FERRY_RECORD(PackedOuter, first, inner, point);

struct Outer {
  struct Inner {
    std::int64_t n;
  };
  Inner inner;
};
FERRY_RECORD(Outer::Inner, n);
FERRY_RECORD(Outer, inner);

template <class T>
struct Pair {
  T first, second;
};
FERRY_RECORD(Pair<double>, first, second);

struct alignas(32) Overaligned {
  float x;
};
FERRY_RECORD(Overaligned, x);

#define NAMES(letter) letter##0, letter##1, letter##2, letter##3, letter##4, letter##5, letter##6, letter##7
struct Wide {
  int NAMES(a), NAMES(b), NAMES(c), NAMES(d), NAMES(e), NAMES(f), NAMES(g), NAMES(h), NAMES(i), NAMES(j);
};
FERRY_RECORD(Wide, NAMES(a), NAMES(b), NAMES(c), NAMES(d), NAMES(e), NAMES(f), NAMES(g), NAMES(h), NAMES(i), NAMES(j));
#undef NAMES

void expect_field(const DType& dtype, const char* name, const DType& type, std::size_t offset,
                  const Shape& shape = {}) {
  const Field& field = dtype.field(name);
  EXPECT_EQ(field.dtype, type) << name << ": " << field.dtype.name();
  EXPECT_EQ(field.offset, static_cast<index_t>(offset)) << name;
  EXPECT_EQ(field.shape, shape) << name << ": " << field.shape.to_string();
}

TEST(RecordTypes, EveryKindOfMember) {
  const DType& dtype = dtype_of<Everything>();
  expect_field(dtype, "flag", dtype_of<bool>(), offsetof(Everything, flag));
  expect_field(dtype, "phase", dtype_of<std::uint8_t>(), offsetof(Everything, phase));
  expect_field(dtype, "wide", dtype_of<long double>(), offsetof(Everything, wide));
  expect_field(dtype, "amplitude", dtype_of<std::complex<float>>(), offsetof(Everything, amplitude));
  expect_field(dtype, "corners", dtype_of<elsewhere::Point>(), offsetof(Everything, corners), {2, 3});
  expect_field(dtype, "quaternion", dtype_of<double>(), offsetof(Everything, quaternion), {4});
  expect_field(dtype, "table", dtype_of<std::int16_t>(), offsetof(Everything, table), {2, 3, 2});
  expect_field(dtype, "ends", dtype_of<elsewhere::Point>(), offsetof(Everything, ends), {2});
  expect_field(dtype, "rest", DType::raw(6, 2), offsetof(Everything, rest));
  expect_field(dtype, "fixed", dtype_of<int>(), offsetof(Everything, fixed));
  EXPECT_EQ(dtype.itemsize(), static_cast<index_t>(sizeof(Everything)));
  EXPECT_EQ(dtype.alignment(), static_cast<index_t>(alignof(Everything)));
}

TEST(RecordTypes, InheritedMembers) {
  const Derived value{{7, 1.5}, {-1}, 2.5F};
  const auto* start = reinterpret_cast<const std::byte*>(&value);
  const auto offset_of = [&](const void* member) {
    return static_cast<std::size_t>(static_cast<const std::byte*>(member) - start);
  };
  const DType& dtype = dtype_of<Derived>();
  expect_field(dtype, "id", dtype_of<std::int32_t>(), offset_of(&value.id));
  expect_field(dtype, "mass", dtype_of<double>(), offset_of(&value.mass));
  expect_field(dtype, "charge", dtype_of<std::int16_t>(), offset_of(&value.charge));
  expect_field(dtype, "radius", dtype_of<float>(), offset_of(&value.radius));
  const auto array = to_device(std::vector<Derived>{value, value}, {.device = device()});
  EXPECT_EQ(array.field(&Derived::charge).item(1), -1);
  EXPECT_EQ(array.field(&Derived::mass).item(0), 1.5);
  EXPECT_EQ(array.field<std::int16_t>("charge").item(0), -1);
  EXPECT_EQ(AnyArray(array).field("id").item<std::int32_t>(1), 7);
}

TEST(RecordTypes, PackedWithinPacked) {
  static_assert(sizeof(PackedInner) == 9 && sizeof(PackedOuter) == 27);
  const DType& dtype = dtype_of<PackedOuter>();
  EXPECT_EQ(dtype.name(),
            "{first: int8 @0, inner: {tag: uint8 @0, value: float64 @1, size 9}[2] @1, "
            "point: {x: float32 @0, y: float32 @4, size 8} @19, size 27}");
  EXPECT_EQ(dtype.alignment(), 1);
  PackedOuter value{};
  value.inner[1].value = 2.5;
  value.point.y = -1;
  const auto array = to_device(std::vector<PackedOuter>{value, value, value}, {.device = device()});
  const auto inner = array.field(&PackedOuter::inner);
  EXPECT_EQ(inner.shape(), (Shape{3, 2}));
  const auto values = inner.field(&PackedInner::value);
  EXPECT_EQ(values.strides(), (Strides{27, 9}));
  EXPECT_FALSE(values.is_aligned());
  EXPECT_EQ(values.copy_to_host()(2, 1), 2.5);
  EXPECT_EQ(array.field(&PackedOuter::point).field(&elsewhere::Point::y).item(1), -1.0F);
}

TEST(RecordTypes, ArrayMembersAddAxes) {
  std::vector<Everything> values(2);
  for (std::size_t k = 0; k < 2; ++k) values[k].table[1][2][0] = static_cast<std::int16_t>(10 + k);
  values[1].quaternion = {1, 2, 3, 4};
  values[1].ends[1].y = 9;
  const auto array = host_view(values.data(), {2});
  EXPECT_EQ(array.field(&Everything::table).shape(), (Shape{2, 2, 3, 2}));
  EXPECT_EQ(array.field(&Everything::table)(1, 1, 2, 0), 11);
  EXPECT_EQ(array.field(&Everything::quaternion)(1, 3), 4.0);
  EXPECT_EQ(array.field<double>("quaternion")(1, 2), 3.0);
  EXPECT_EQ(array.field(&Everything::ends).field(&elsewhere::Point::y)(1, 1), 9.0F);
  EXPECT_EQ(AnyArray(array).field("ends").field("y").item<float>(1, 1), 9.0F);
}

TEST(RecordTypes, NamesFromAnywhere) {
  expect_field(dtype_of<Outer>(), "inner", dtype_of<Outer::Inner>(), 0);
  expect_field(dtype_of<Pair<double>>(), "second", dtype_of<double>(), 8);
  EXPECT_EQ(dtype_of<Pair<float>>().kind(), Kind::raw) << "described for double only";
  EXPECT_EQ(dtype_of<Overaligned>().alignment(), 32);
  EXPECT_EQ(dtype_of<Overaligned>().itemsize(), 32);
  EXPECT_EQ(dtype_of<Wide>().fields().size(), 80u);
  expect_field(dtype_of<Wide>(), "j7", dtype_of<int>(), offsetof(Wide, j7));
  static_assert(RecordType<Wide> && RecordType<const Derived> && !RecordType<Base>);
}

TEST(RecordTypes, EqualDescriptionsAreEqual) {
  const DType same = DType::record({{"x", dtype_of<float>(), 0}, {"y", dtype_of<float>(), 4}}, 8, 4);
  EXPECT_EQ(dtype_of<elsewhere::Point>(), same);
  EXPECT_EQ(dtype_of<elsewhere::Point>().name(), "{x: float32 @0, y: float32 @4, size 8}");
  EXPECT_EQ(dtype_of<elsewhere::Point>(), dtype_of<const elsewhere::Point>());
  EXPECT_FALSE(dtype_of<elsewhere::Point>() == dtype_of<Pair<double>>());
}

}  // namespace
}  // namespace ferry::test
