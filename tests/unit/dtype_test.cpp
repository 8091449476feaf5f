// Descriptions of element types: sizes, alignments, byte order, equality, text, and what is refused.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <ferry/dtype.hpp>
#include <ferry/error.hpp>

#include "support/error_text.hpp"

namespace ferry::test {
namespace {

enum class Colour : std::uint16_t { red, green };

struct Opaque {
  double a;
  char b;
};

// A stand-in for a vendor's half, which Ferry cannot know.
struct VendorHalf {
  std::uint16_t bits;
};

}  // namespace
}  // namespace ferry::test

template <>
struct ferry::DTypeOf<ferry::test::VendorHalf> {
  static DType get() { return DType::scalar(Kind::floating, 2); }
};

namespace ferry::test {
namespace {

TEST(DTypes, OfCppTypes) {
  const auto expect = [](const DType& dtype, Kind kind, index_t size, index_t alignment, const char* name) {
    EXPECT_EQ(dtype.kind(), kind) << name;
    EXPECT_EQ(dtype.itemsize(), size) << name;
    EXPECT_EQ(dtype.alignment(), alignment) << name;
    EXPECT_EQ(dtype.name(), name);
    EXPECT_FALSE(dtype.is_swapped());
    EXPECT_FALSE(dtype.is_record());
    EXPECT_TRUE(dtype.fields().empty());
  };
  expect(dtype_of<bool>(), Kind::boolean, 1, 1, "bool");
  expect(dtype_of<std::int8_t>(), Kind::signed_integer, 1, 1, "int8");
  expect(dtype_of<std::int16_t>(), Kind::signed_integer, 2, 2, "int16");
  expect(dtype_of<std::int64_t>(), Kind::signed_integer, 8, 8, "int64");
  expect(dtype_of<long long>(), Kind::signed_integer, 8, 8, "int64");
  expect(dtype_of<std::uint32_t>(), Kind::unsigned_integer, 4, 4, "uint32");
  expect(dtype_of<float>(), Kind::floating, 4, 4, "float32");
  expect(dtype_of<double>(), Kind::floating, 8, 8, "float64");
  expect(dtype_of<long double>(), Kind::floating, 16, 16, "float128");
  expect(dtype_of<std::complex<float>>(), Kind::complex, 8, 4, "complex64");
  expect(dtype_of<std::complex<double>>(), Kind::complex, 16, 8, "complex128");
  expect(dtype_of<Colour>(), Kind::unsigned_integer, 2, 2, "uint16");
  expect(dtype_of<std::byte>(), Kind::unsigned_integer, 1, 1, "uint8");
  expect(dtype_of<Opaque>(), Kind::raw, 16, 8, "raw16");
  expect(dtype_of<VendorHalf>(), Kind::floating, 2, 2, "float16");
  EXPECT_EQ(dtype_of<const float>(), dtype_of<float>());
  EXPECT_EQ(DType(), DType::raw(1));
}

TEST(DTypes, ByteOrder) {
  const DType swapped = DType::scalar(Kind::floating, 8, 0, ByteOrder::swapped);
  EXPECT_TRUE(swapped.is_swapped());
  EXPECT_EQ(swapped.name(), ">float64");
  EXPECT_FALSE(swapped == dtype_of<double>());
  EXPECT_EQ(swapped.native(), dtype_of<double>());
  EXPECT_EQ(swapped.native().native(), dtype_of<double>());
  // What has one byte, or no order, is never swapped.
  EXPECT_EQ(DType::scalar(Kind::signed_integer, 1, 0, ByteOrder::swapped), dtype_of<std::int8_t>());
  EXPECT_FALSE(DType::scalar(Kind::bytes, 5, 0, ByteOrder::swapped).is_swapped());
}

TEST(DTypes, ImpossibleScalars) {
  for (const auto& [kind, size] : {std::pair{Kind::floating, 3},
                                   {Kind::boolean, 2},
                                   {Kind::signed_integer, 0},
                                   {Kind::complex, 2},
                                   {Kind::brain, 4},
                                   {Kind::floating, -8},
                                   {Kind::bytes, -1},
                                   {Kind::unicode, 6},
                                   {Kind::raw, 4},
                                   {Kind::record, 4}}) {
    expect_error<DTypeError>([kind = kind, size = size] { DType::scalar(kind, size); }, {std::to_string(size)});
  }
  expect_error<DTypeError>([] { DType::raw(-1); }, {"-1"});
  for (const index_t alignment : {-1, 3, 12}) {
    expect_error<DTypeError>([=] { DType::scalar(Kind::floating, 8, alignment); }, {"power of two"});
    expect_error<DTypeError>([=] { DType::raw(8, alignment); }, {"power of two"});
    expect_error<DTypeError>([=] { DType::record({}, 8, alignment); }, {"power of two"});
  }
  expect_error<DTypeError>([] { DType::record({}, 8, 0); }, {"power of two"});
  EXPECT_EQ(DType::scalar(Kind::bytes, 0).itemsize(), 0);
  EXPECT_EQ(DType::scalar(Kind::unicode, 12, 0, ByteOrder::swapped).name(), ">unicode3");
  EXPECT_EQ(DType::scalar(Kind::unicode, 12).alignment(), 4);
}

TEST(DTypes, RecordsByOffsets) {
  const DType dtype = DType::record({{"x", dtype_of<double>(), 0}, {"y", dtype_of<std::int32_t>(), 8, {2, 3}}}, 40, 8);
  EXPECT_TRUE(dtype.is_record());
  EXPECT_EQ(dtype.name(), "{x: float64 @0, y: int32[2][3] @8, size 40}");
  EXPECT_EQ(dtype.field("y").nbytes(), 24);
  EXPECT_EQ(dtype.fields().size(), 2u);
  expect_error<DTypeError>([&] { static_cast<void>(dtype.field("z")); }, {"'z'", "x: float64"});
  expect_error<DTypeError>([&] { static_cast<void>(dtype_of<float>().field("x")); }, {"'x'", "float32"});
  // No field at all is a record too, as in NumPy.
  EXPECT_EQ(DType::record({}, 0, 1).name(), "{size 0}");
}

TEST(DTypes, ImpossibleRecords) {
  const DType f8 = dtype_of<double>();
  expect_error<DTypeError>([&] { DType::record({{"", f8, 0}}, 8, 1); }, {"no name"});
  expect_error<DTypeError>([&] { DType::record({{"x", f8, 0}, {"x", f8, 8}}, 16, 1); }, {"two fields", "'x'"});
  expect_error<DTypeError>([&] { DType::record({{"x", f8, 1}}, 8, 1); }, {"'x'", "offset 1", "8 bytes"});
  expect_error<DTypeError>([&] { DType::record({{"x", f8, -1}}, 8, 1); }, {"offset -1"});
  expect_error<DTypeError>([&] { DType::record({{"x", f8, INT64_MAX}}, 8, 1); }, {"leaves"});
  expect_error<DTypeError>([&] { DType::record({{"x", f8, 0, {2}}}, 8, 1); }, {"16 bytes"});
  expect_error<DTypeError>([&] { DType::record({{"x", f8, 0, {-1}}}, 8, 1); }, {"'x'", "negative"});
  expect_error<DTypeError>([&] { DType::record({{"x", f8, 0, {1LL << 40, 1LL << 40}}}, 8, 1); }, {"2^63"});
  expect_error<DTypeError>([&] { DType::record({}, -8, 1); }, {"-8"});
  const Field huge{"x", DType::raw(1), 0, {INT64_MAX}};
  const Field another{"y", DType::raw(1), 0, {INT64_MAX}};
  expect_error<DTypeError>([&] { DType::packed_record({huge, another}); }, {"2^63"});
  expect_error<DTypeError>([&] { DType::aligned_record({huge, another}); }, {"2^63"});
  expect_error<DTypeError>([&] { DType::aligned_record({huge, {"z", f8}}); }, {"2^63"});
}

TEST(DTypes, PackedAndAligned) {
  const std::vector<Field> fields{
      {"a", dtype_of<std::uint8_t>()}, {"b", dtype_of<double>()}, {"c", dtype_of<std::int16_t>(), 0, {3}}};
  const DType packed = DType::packed_record(fields), aligned = DType::aligned_record(fields);
  EXPECT_EQ(packed.name(), "{a: uint8 @0, b: float64 @1, c: int16[3] @9, size 15}");
  EXPECT_EQ(aligned.name(), "{a: uint8 @0, b: float64 @8, c: int16[3] @16, size 24}");
  EXPECT_EQ(packed.alignment(), 1);
  EXPECT_EQ(aligned.alignment(), 8);
}

TEST(DTypes, EqualityOfRecords) {
  const auto make = [](const char* name, const DType& type, index_t offset, const Shape& shape, index_t size,
                       index_t alignment) {
    return DType::record({{name, type, offset, shape}}, size, alignment);
  };
  const DType base = make("x", dtype_of<float>(), 0, {2}, 16, 4);
  EXPECT_EQ(base, make("x", dtype_of<float>(), 0, {2}, 16, 4));
  EXPECT_FALSE(base == make("y", dtype_of<float>(), 0, {2}, 16, 4));
  EXPECT_FALSE(base == make("x", dtype_of<std::int32_t>(), 0, {2}, 16, 4));
  EXPECT_FALSE(base == make("x", dtype_of<float>(), 4, {2}, 16, 4));
  EXPECT_FALSE(base == make("x", dtype_of<float>(), 0, {2, 1}, 16, 4));
  EXPECT_FALSE(base == make("x", dtype_of<float>(), 0, {2}, 12, 4));
  EXPECT_FALSE(base == make("x", dtype_of<float>(), 0, {2}, 16, 1));
  EXPECT_FALSE(base == DType::raw(16, 4));
  const DType outer = DType::record({{"r", base, 0}}, 16, 4);
  EXPECT_EQ(outer, DType::record({{"r", make("x", dtype_of<float>(), 0, {2}, 16, 4), 0}}, 16, 4));
  EXPECT_FALSE(outer == DType::record({{"r", make("x", dtype_of<float>(), 0, {2}, 16, 1), 0}}, 16, 4));
}

TEST(DTypes, SwappedRecords) {
  const DType big = DType::scalar(Kind::signed_integer, 4, 0, ByteOrder::swapped);
  const DType inner = DType::record({{"n", big, 0}}, 8, 4);
  const DType outer = DType::record({{"r", inner, 0, {2}}, {"f", dtype_of<float>(), 16}}, 24, 8);
  EXPECT_TRUE(outer.is_swapped());
  EXPECT_EQ(outer.byte_order(), ByteOrder::native) << "a record has none of its own";
  EXPECT_EQ(outer.name(), "{r: {n: >int32 @0, size 8}[2] @0, f: float32 @16, size 24}");
  const DType native = outer.native();
  EXPECT_FALSE(native.is_swapped());
  EXPECT_EQ(native.alignment(), 8);
  EXPECT_EQ(native.name(), "{r: {n: int32 @0, size 8}[2] @0, f: float32 @16, size 24}");
  EXPECT_TRUE(outer.is_swapped()) << "the description that others share must not change";
}

}  // namespace
}  // namespace ferry::test
