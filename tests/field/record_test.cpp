// Group F: records, packed, padded and overlapping.
#include <unistd.h>

#include <filesystem>

#include "support/loops.hpp"
#include "values.hpp"

namespace ferry::test {
namespace {

#pragma pack(push, 1)
struct PackedPair {
  std::uint8_t a;
  double b;
};
struct PackedTriple {
  std::uint8_t a;
  double b;
  std::uint8_t c;
};
struct PackedHalves {
  std::uint16_t x, y;
};
#pragma pack(pop)
FERRY_RECORD(PackedPair, a, b);
FERRY_RECORD(PackedTriple, a, b, c);
FERRY_RECORD(PackedHalves, x, y);

struct NaturalPair {
  std::uint8_t a;
  double b;
};
struct NaturalTriple {
  std::uint8_t a;
  double b;
  std::uint8_t c;
};
struct NaturalHalves {
  std::uint16_t x, y;
};
FERRY_RECORD(NaturalPair, a, b);
FERRY_RECORD(NaturalTriple, a, b, c);
FERRY_RECORD(NaturalHalves, x, y);

struct TrailingVoid {
  float A;
  std::uint32_t unnamed_1;
  float B;
  std::uint32_t unnamed_2;
};
FERRY_RECORD(TrailingVoid, A, B);

union Overlapping {
  std::uint32_t x;
  std::uint16_t halves[2];
};
FERRY_RECORD(Overlapping, x, halves);

struct Descending {
  std::uint32_t first;
  std::uint16_t second, third;
};
FERRY_RECORD(Descending, third, second, first);

// Its fields are known at run time only, as those of a file would be.
struct Word {
  std::uint32_t bits;
};

}  // namespace
}  // namespace ferry::test

template <>
struct ferry::DTypeOf<ferry::test::Word> {
  static DType get() {
    const DType u2 = dtype_of<std::uint16_t>();
    return DType::record({{"x", dtype_of<std::uint32_t>(), 0}, {"y", u2, 0}, {"z", u2, 2}}, 4, 4);
  }
};

namespace ferry::test {
namespace {

TEST(FieldCases, C051_FieldOfPackedRecords) {
  static_assert(sizeof(PackedPair) == 9 && sizeof(PackedTriple) == 10 && sizeof(NaturalTriple) == 24);
  const std::vector<PackedPair> records{{10, 1.0}, {20, 2.0}, {30, 3.0}};
  const auto array = to_device(records, {.device = device()});
  const auto b = array.field(&PackedPair::b);
  EXPECT_EQ(b.shape(), (Shape{3}));
  EXPECT_EQ(b.strides(), (Strides{9}));
  EXPECT_TRUE(starts_at(b, array, 1));
  EXPECT_FALSE(b.is_aligned());
  EXPECT_THROW(b.data(), LayoutError);
  EXPECT_THROW(b.contiguous_data(), LayoutError);
  EXPECT_THROW(b.device_view<1>(), LayoutError);
  EXPECT_EQ(values(b), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(b.item(2), 3.0);
  EXPECT_EQ(values(array.field<double>("b")), (std::vector<double>{1, 2, 3}));
}

TEST(FieldCases, C051_DenseCopyOfAPackedFieldGoesIntoAKernel) {
  const std::vector<PackedPair> records{{10, 1.0}, {20, 2.0}, {30, 3.0}};
  const auto dense = to_device(records, {.device = device()}).field(&PackedPair::b).copy();
  EXPECT_EQ(dense.strides(), (Strides{8}));
  EXPECT_TRUE(dense.is_aligned());
  double_each(dense.device_view<1>());
  EXPECT_EQ(values(dense), (std::vector<double>{2, 4, 6}));
}

TEST(FieldCases, C051_WritingAPackedFieldLeavesItsNeighbours) {
  const std::vector<PackedTriple> records{{10, 1.0, 11}, {20, 2.0, 21}};
  const auto array = to_device(records, {.device = device()});
  array.field(&PackedTriple::b).copy_to_device(std::vector<double>{-1, -2});
  EXPECT_EQ(values(array.field(&PackedTriple::a)), (std::vector<std::uint8_t>{10, 20}));
  EXPECT_EQ(values(array.field(&PackedTriple::b)), (std::vector<double>{-1, -2}));
  EXPECT_EQ(values(array.field(&PackedTriple::c)), (std::vector<std::uint8_t>{11, 21}));
  array.field(&PackedTriple::b).fill(7.0);
  EXPECT_EQ(array.item(1).c, 21);
}

TEST(FieldCases, C051_PackedFieldOnTheHost) {
  std::vector<PackedPair> records{{10, 1.0}, {20, 2.0}, {30, 3.0}};
  const auto b = host_view(records.data(), {3}).field(&PackedPair::b);
  EXPECT_THROW(b(0), LayoutError);
  EXPECT_THROW(b.begin(), LayoutError);
  EXPECT_EQ(values(b.copy()), (std::vector<double>{1, 2, 3}));
  to_device(std::vector<double>{4, 5, 6}, {.device = device()}).copy_to_host(b);
  EXPECT_EQ(values(b.copy()), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(records[1].a, 20);
}

TEST(FieldCases, C051_NaturalRecordsAreAligned) {
  const std::vector<NaturalPair> records{{10, 1.0}, {20, 2.0}, {30, 3.0}};
  const auto array = to_device(records, {.device = device()});
  const auto b = array.field(&NaturalPair::b);
  EXPECT_EQ(b.strides(), (Strides{16}));
  EXPECT_TRUE(starts_at(b, array, 8));
  EXPECT_TRUE(b.is_aligned());
  EXPECT_NE(b.data(), nullptr);
  EXPECT_EQ(values(b), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(dtype_of<PackedPair>().alignment(), 1);
  EXPECT_EQ(dtype_of<NaturalPair>().alignment(), 8);
}

TEST(FieldCases, C052_AlignmentIsPartOfTheType) {
  const DType half = DType::scalar(Kind::floating, 2);
  const std::vector<Field> fields{{"x", half}, {"y", half}};
  for (const bool packed_first : {true, false}) {
    const DType first = packed_first ? DType::packed_record(fields) : DType::aligned_record(fields);
    const DType second = packed_first ? DType::aligned_record(fields) : DType::packed_record(fields);
    EXPECT_EQ(first.alignment(), packed_first ? 1 : 2);
    EXPECT_EQ(second.alignment(), packed_first ? 2 : 1);
    EXPECT_FALSE(first == second);
    for (const DType& dtype : {first, second}) {
      EXPECT_EQ(dtype.itemsize(), 4);
      EXPECT_EQ(dtype.field("x").offset, 0);
      EXPECT_EQ(dtype.field("y").offset, 2);
    }
  }
}

TEST(FieldCases, C052_AlignmentOfStructs) {
  EXPECT_EQ(dtype_of<PackedHalves>().alignment(), 1);
  EXPECT_EQ(dtype_of<NaturalHalves>().alignment(), 2);
  EXPECT_EQ(dtype_of<PackedHalves>().itemsize(), 4);
  EXPECT_FALSE(dtype_of<PackedHalves>() == dtype_of<NaturalHalves>());
}

TEST(FieldCases, C054_TrailingVoidIsKept) {
  const DType& dtype = dtype_of<TrailingVoid>();
  EXPECT_EQ(dtype.itemsize(), 16);
  EXPECT_EQ(dtype.field("A").offset, 0);
  EXPECT_EQ(dtype.field("B").offset, 8);
  const DType rebuilt = DType::record(dtype.fields(), dtype.itemsize(), dtype.alignment());
  EXPECT_EQ(rebuilt.itemsize(), 16);
  EXPECT_TRUE(rebuilt == dtype);
  EXPECT_TRUE(dtype == DType::record({{"A", dtype_of<float>(), 0}, {"B", dtype_of<float>(), 8}}, 16, 4));
}

TEST(FieldCases, C054_TrailingVoidSurvivesAFile) {
  const std::string path = ::testing::TempDir() + "ferry_c054_" + std::to_string(::getpid()) + ".npy";
  const std::vector<TrailingVoid> records{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};
  save_npy(path, to_device(records, {.device = device()}));
  const DType found = NpyReader(path).header().dtype;
  EXPECT_EQ(found.itemsize(), 16);
  EXPECT_EQ(found.field("B").offset, 8);
  const auto loaded = load_npy<TrailingVoid>(path);
  EXPECT_EQ(loaded.nbytes(), 48);
  EXPECT_EQ(loaded.field<float>("B")(2), 10.0F);
  std::filesystem::remove(path);
}

TEST(FieldCases, C054_FieldOfTheLastElement) {
  const std::vector<TrailingVoid> records{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};
  const auto array = to_device(records, {.device = device()});
  EXPECT_EQ(array.nbytes(), 48);
  const auto b = array.field<float>("B");
  EXPECT_TRUE(starts_at(b(2), array, 40));
  EXPECT_EQ(b.item(2), 10.0F);
  // What no field names is carried along.
  const TrailingVoid last = array.item(2);
  EXPECT_EQ(last.unnamed_1, 9u);
  EXPECT_EQ(last.unnamed_2, 11u);
}

TEST(FieldCases, C055_OverlappingFieldsByName) {
  const std::vector<Word> words{{0x00020001}, {0x00040003}};
  const auto array = to_device(words, {.device = device()});
  EXPECT_EQ(values(array.field<std::uint32_t>("x")), (std::vector<std::uint32_t>{0x00020001, 0x00040003}));
  EXPECT_EQ(values(array.field<std::uint16_t>("y")), (std::vector<std::uint16_t>{1, 3}));
  EXPECT_EQ(values(array.field<std::uint16_t>("z")), (std::vector<std::uint16_t>{2, 4}));
  EXPECT_EQ(array.copy().item(1).bits, 0x00040003u);
}

TEST(FieldCases, C055_UnionMembers) {
  Overlapping value{};
  value.x = 0x00020001;
  const auto array = full<Overlapping>({2}, value, {.device = device()});
  EXPECT_EQ(array.field(&Overlapping::halves).shape(), (Shape{2, 2}));
  EXPECT_EQ(values(array.field(&Overlapping::halves)), (std::vector<std::uint16_t>{1, 2, 1, 2}));
  array.field (&Overlapping::halves)(slice(), 1).fill(5);
  EXPECT_EQ(values(array.field(&Overlapping::x)), (std::vector<std::uint32_t>{0x00050001, 0x00050001}));
}

TEST(FieldCases, C055_FieldsNamedInDescendingOrder) {
  const DType& dtype = dtype_of<Descending>();
  EXPECT_EQ(dtype.itemsize(), 8);
  EXPECT_EQ(dtype.fields().front().offset, 6);
  EXPECT_EQ(dtype.fields().back().offset, 0);
  const auto array = to_device(std::vector<Descending>{{1, 2, 3}, {4, 5, 6}}, {.device = device()});
  EXPECT_EQ(values(array.field<std::uint16_t>("third")), (std::vector<std::uint16_t>{3, 6}));
  EXPECT_EQ(values(array.field<std::uint32_t>("first")), (std::vector<std::uint32_t>{1, 4}));
}

}  // namespace
}  // namespace ferry::test
