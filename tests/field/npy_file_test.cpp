// Group L: .npy files as other programs write them, and as they damage them.
#include "support/npy_file.hpp"

#include <numeric>
#include <sstream>

#include "values.hpp"

namespace ferry::test {
namespace {

using FieldCasesFiles = NpyFile;

const std::vector<double> six{0, 1, 2, 3, 4, 5};

TEST_F(FieldCasesFiles, C113_ShapeProductOverflow) {
  for (const char* shape :
       {"(4294967296,4294967296)", "(2305843009213693952,8)", "(2305843009213693952,)", "(0,4294967296,4294967296)"}) {
    write_array("'<f8'", shape, "");
    refuse("2^63");
    EXPECT_THROW(load_npy(path), FormatError);
    EXPECT_THROW(map_npy(path), FormatError);
  }
  write_array("'<f8'", "(-6,)", "");
  refuse("negative");
  // The product need not overflow to be a lie.
  write_array("'<f8'", "(1099511627776,)", "");
  refuse("needs 8796093022208 bytes of data, and it has 0");
}

std::string wide_record() {
  std::string descr = "[";
  for (int k = 0; k < 4000; ++k) {
    const std::string digits = std::to_string(k);
    descr += (k > 0 ? ", ('f" : "('f") + std::string(6 - digits.size(), '0') + digits + "', '<f4')";
  }
  return descr + "]";
}

TEST_F(FieldCasesFiles, C115_LargeHeadersAreRead) {
  std::vector<float> data(8000);
  std::iota(data.begin(), data.end(), 0.0F);
  write_header("{'descr': " + wide_record() + ", 'fortran_order': False, 'shape': (2,), }", bytes_of(data), 2);
  const AnyArray array = load_npy(path);
  EXPECT_EQ(array.dtype().fields().size(), 4000u);
  EXPECT_EQ(array.field("f003999").item<float>(1), 7999.0F);
  EXPECT_EQ(load_npy(path, {.header_bytes = 100000}).size(), 2);
  EXPECT_THROW(load_npy(path, {.header_bytes = 10000}), FormatError) << "NumPy's cap, on request";
  // Version 2, padded.
  std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }";
  dictionary.resize(12084 - 12, ' ');
  write_header(dictionary, bytes_of(six), 2);
  EXPECT_EQ(load_npy<double>(path)(5), 5.0);
}

TEST_F(FieldCasesFiles, C115_LargeHeadersAreWrittenAsVersion2) {
  std::vector<float> data(8000);
  std::iota(data.begin(), data.end(), 0.0F);
  write_header("{'descr': " + wide_record() + ", 'fortran_order': False, 'shape': (2,), }", bytes_of(data), 2);
  const AnyArray array = load_npy(path);
  save_npy(path, array);
  const NpyReader reader(path);
  EXPECT_EQ(reader.header().version, 2);
  EXPECT_EQ(reader.header().data_offset, 80128u);
  EXPECT_EQ(content().size(), 80128u + 32000u);
  EXPECT_EQ(load_npy(path), array);
  save_npy(path, host_view(six.data(), {6}));
  EXPECT_EQ(NpyReader(path).header().version, 1);
}

TEST_F(FieldCasesFiles, C116_TruncatedData) {
  write_array("'<f8'", "(6,)", bytes_of(six).substr(0, 40));
  refuse("needs 48 bytes of data, and it has 40");
  EXPECT_THROW(map_npy(path), FormatError);
  // Half of a gibibyte that takes no room on the disk.
  write_array("'<f8'", "(128, 1048576)", "");
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(content().size() + (std::size_t{1} << 29))), 0);
  refuse("needs 1073741824 bytes of data, and it has 536870912");
}

TEST_F(FieldCasesFiles, C116_TruncatedAfterItWasOpened) {
  write_array("'<f8'", "(6,)", bytes_of(six));
  const NpyReader reader(path);
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(content().size() - 8)), 0);
  EXPECT_THROW(reader.read(), FormatError);
}

TEST_F(FieldCasesFiles, C119_AcceptedSpellings) {
  const auto load = [&](const std::string& dictionary) {
    write_header(dictionary, bytes_of(six));
    return load_npy<double>(path);
  };
  const auto flat = host_view(six.data(), {6});
  EXPECT_EQ(load("{'shape': (2, 3), 'descr': '<f8', 'fortran_order': False}"), flat.reshape(2, 3));
  EXPECT_EQ(load("{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (6,)}"), flat);
  EXPECT_EQ(load("{'descr': '<f8', 'fortran_order': False, 'shape': ( 6 , )}"), flat);
  const auto fortran = load("{'descr': '<f8', 'fortran_order': True, 'shape': (3,2,), }");
  EXPECT_EQ(values(fortran), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(load("{'descr': '<f8', 'fortran_order': False, 'shape': (6L,), }"), flat);
  EXPECT_EQ(load("{'descr':'<f8','fortran_order':False,'shape':(6,)}"), flat);
  EXPECT_NE(NpyReader(path).header().data_offset % 8, 0u) << "no padding at all";
  EXPECT_EQ(load("{'descr': '=f8', 'fortran_order': False, 'shape': (6,), }"), flat);
}

TEST_F(FieldCasesFiles, C120_RejectedHeaders) {
  const auto header = [&](const std::string& dictionary) { write_header(dictionary, bytes_of(six)); };
  header("{'descr': '<f8', 'fortran_order': False, 'shape': (6)}");
  refuse("the shape is not a tuple");
  header("{'descr': '<f8', 'shape': (6,)}");
  refuse("lacks");
  header("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), 'more': 1}");
  refuse("unknown key 'more'");
  header("{'descr': '<f8', 'fortran_order': 0, 'shape': (6,)}");
  refuse("fortran_order is neither");
  write(std::string("\x93NUMPY\x04\x00\x02\x00{}", 12));
  refuse("version 4.0");
  write("\x94NUMPY\x01 is what it starts with");
  refuse("signature");
  write("");
  refuse("signature");
  write("\x93NUMP");
  refuse("signature");
  header("{'descr': '|O', 'fortran_order': False, 'shape': (6,)}");
  refuse("Python objects");
  header("{'descr': [('a', '|O'), ('b', '<f8')], 'fortran_order': False, 'shape': (3,)}");
  refuse("Python objects");
}

TEST_F(FieldCasesFiles, C122_TheOrderFlagOfWhatHasBothOrders) {
  write_array("'<f8'", "(6,)", bytes_of(six), true);
  const auto flat = load_npy<double>(path);
  EXPECT_TRUE(flat.is_c_contiguous() && flat.is_f_contiguous());
  EXPECT_EQ(values(flat), six);
  write_array("'<f8'", "()", bytes_of(six).substr(8, 8), true);
  EXPECT_EQ(load_npy<double>(path)(), 1.0);
  const auto flag = [&](const auto& array) {
    save_npy(path, array);
    return NpyReader(path).header().order == Order::F;
  };
  for (const Shape& shape : {Shape{3, 1}, Shape{1, 3}, Shape{6}, Shape{}, Shape{0, 3}}) {
    EXPECT_FALSE(flag(host_array<double>(shape, {.order = Order::F}))) << shape.to_string();
  }
  EXPECT_TRUE(flag(host_array<double>({2, 3}, {.order = Order::F})));
  EXPECT_TRUE(flag(host_array<double>({2, 3}).transpose()));
  EXPECT_TRUE(flag(device_array<double>({2, 3}, {.device = device()}).transpose()));
}

TEST_F(FieldCasesFiles, C123_FortranDataIntoEveryLayout) {
  write_array("'<f8'", "(3, 2)", bytes_of(six), true);
  const std::vector<double> expected{0, 3, 1, 4, 2, 5};
  EXPECT_EQ(values(load_npy<double>(path)), expected);
  EXPECT_EQ(values(map_npy<const double>(path)), expected);
  EXPECT_EQ(values(to_device(load_npy<double>(path), {.device = device()})), expected);
  EXPECT_EQ(values(to_device(load_npy<double>(path), {.order = Order::C, .device = device()})), expected);
  // Straight into rows, columns, and a view with gaps, backwards.
  const NpyReader reader(path);
  const auto check = [&](const HostArray<double>& target) {
    reader.read_into(target.handle().base, target.layout());
    EXPECT_EQ(values(target), expected) << target.layout().to_string();
  };
  check(host_array<double>({3, 2}));
  check(host_array<double>({3, 2}, {.order = Order::F}));
  check(host_array<double>({3, 6})(slice(none, none, -1), slice(none, none, 3)));
}

TEST_F(FieldCasesFiles, C126_BigEndianFiles) {
  write_array("'>i4'", "(3,)", std::string("\0\0\0\1\0\0\0\2\0\0\0\3", 12));
  const auto native = load_npy<std::int32_t>(path);
  EXPECT_EQ(values(native), (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(values(to_device(native, {.device = device()})), (std::vector<std::int32_t>{1, 2, 3}));
  const AnyArray any = load_npy(path);
  EXPECT_TRUE(any.dtype().is_swapped());
  EXPECT_EQ(values(to_device(any, {.device = device()}).as_device<std::int32_t>()),
            (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(values(map_npy<const std::int32_t>(path)), (std::vector<std::int32_t>{1, 2, 3}));
  write_array("'>f8'", "()", std::string("\x3f\xf0\0\0\0\0\0\0", 8));
  EXPECT_EQ(load_npy<double>(path)(), 1.0);
  EXPECT_EQ(load_npy(path).item<double>(), 1.0);
  // Written again, it is what it was.
  const std::string before = content();
  save_npy(path, load_npy(path));
  EXPECT_EQ(content().substr(content().size() - 8), before.substr(before.size() - 8));
  EXPECT_EQ(NpyReader(path).header().dtype.name(), ">float64");
}

TEST_F(FieldCasesFiles, C127_ViewsAreWrittenInLogicalOrder) {
  const auto ten = arange<std::int64_t>(10);
  save_npy(path, ten(slice(none, none, 2)));
  EXPECT_EQ(content().size(), 168u);
  EXPECT_EQ(content().substr(128), bytes_of<std::int64_t>({0, 2, 4, 6, 8}));
  const auto twelve = arange<std::int64_t>(12).reshape(3, 4);
  save_npy(path, twelve(slice(none, none, -1), slice(none, none, -2)));
  EXPECT_EQ(content().substr(128), bytes_of<std::int64_t>({11, 9, 7, 5, 3, 1}));
  EXPECT_EQ(NpyReader(path).header().shape, (Shape{3, 2}));
  save_npy(path, to_device(twelve, {.device = device()})(slice(), 1));
  EXPECT_EQ(content().substr(128), bytes_of<std::int64_t>({1, 5, 9}));
  save_npy(path, AnyArray(to_device(twelve, {.device = device()}))(1));
  EXPECT_EQ(content().substr(128), bytes_of<std::int64_t>({4, 5, 6, 7}));
}

TEST_F(FieldCasesFiles, C129_WhereTheDataStarts) {
  for (const std::size_t start : {80u, 128u, 71u}) {
    std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (6,)}";
    dictionary.resize(start - 10 - 1, ' ');
    write_header(dictionary + "\n", bytes_of(six));
    const NpyReader reader(path);
    EXPECT_EQ(reader.header().data_offset, start);
    const AnyArray any = reader.map();
    EXPECT_TRUE(any.is_aligned()) << "what the file holds unaligned is copied";
    EXPECT_EQ(values(any.as<const double>()), six);
    EXPECT_EQ(values(map_npy<const double>(path)), six);
    EXPECT_EQ(values(map_npy<double>(path)), six);
    EXPECT_EQ(values(load_npy<double>(path)), six);
  }
  save_npy(path, host_view(six.data(), {6}));
  const std::size_t start = NpyReader(path).header().data_offset;
  EXPECT_EQ(start % 64, 0u);
  EXPECT_EQ(content()[start - 1], '\n');
}

}  // namespace
}  // namespace ferry::test
