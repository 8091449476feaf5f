// .npy files: what is written, what is accepted, and what is refused before anything is allocated.
#include <gtest/gtest.h>

#include <ferry/ferry.hpp>
#include <filesystem>
#include <string>

#include "support/npy_file.hpp"
#include "support/test_device.hpp"

namespace {

using namespace ferry;
using test::NpyFile;

TEST_F(NpyFile, RoundTripOfViewsAndDeviceArrays) {
  const auto a = arange<std::int64_t>(12).reshape(3, 4);
  save_npy(path, a(slice(none, none, -1), slice(none, none, -2)));
  const auto back = load_npy<std::int64_t>(path);
  EXPECT_EQ(back, a(slice(none, none, -1), slice(none, none, -2)));
  const auto column = to_device(a, {.device = test::device()})(slice(), 1);
  save_npy(path, column);
  EXPECT_EQ(load_npy<std::int64_t>(path), a(slice(), 1));
  EXPECT_EQ(content().size() % 64, 24u) << "the header ends at a multiple of 64";
}

TEST_F(NpyFile, TheOrderFlagIsNumPys) {
  const auto flag = [&](const HostArray<double>& array) {
    save_npy(path, array);
    return content().find("'fortran_order': True") != std::string::npos;
  };
  EXPECT_FALSE(flag(host_array<double>({3, 1}, {.order = Order::F})));
  EXPECT_FALSE(flag(host_array<double>({6})));
  EXPECT_TRUE(flag(host_array<double>({2, 3}, {.order = Order::F})));
  EXPECT_TRUE(flag(host_array<double>({2, 3}).transpose()));
  EXPECT_FALSE(flag(host_array<double>({2, 3})));
}

TEST_F(NpyFile, AcceptsEverySpellingOfAHeader) {
  for (const char* dictionary : {"{'shape': (6,), 'fortran_order': False, 'descr': '<f8'}",
                                 "{\"descr\":\"<f8\",\"fortran_order\":False,\"shape\":(6,)}",
                                 "{'descr': '<f8', 'fortran_order': False, 'shape': ( 6 , ), }",
                                 "{'descr': '=f8', 'fortran_order': True, 'shape': (6L,), }\n"}) {
    write_header(dictionary, 48);
    EXPECT_EQ(load_npy<double>(path).shape(), Shape(6)) << dictionary;
  }
  write_header("{'descr': '<f8', 'fortran_order': True, 'shape': (3,2,), }", 48);
  EXPECT_EQ(load_npy<double>(path).shape(), Shape(3, 2));
  write_header("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8, 2);
  EXPECT_EQ(load_npy<double>(path).ndim(), 0u);
}

TEST_F(NpyFile, BigEndianBecomesNative) {
  write_header("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", 0);
  write(content() + std::string("\0\0\1\2", 4));
  EXPECT_EQ(load_npy<std::int32_t>(path)(0), 258);
}

TEST_F(NpyFile, RefusesWhatIsNoNpyFile) {
  EXPECT_THROW(load_npy<double>(path), Error) << "there is no such file";
  for (const std::string& text : {std::string(), std::string("\x93NUM"), std::string("hello, world, hello")}) {
    write(text);
    refuse("signature");
  }
  write(std::string("\x93NUMPY\x01\x00\xff", 9));
  refuse("ends within the header");
  write(std::string("\x93NUMPY\x04\x00\x00\x00\x00\x00\x00", 13));
  refuse("version 4.0");
  write_header("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", 48);
  write(content().substr(0, 40));
  refuse("ends within the header");
}

TEST_F(NpyFile, RefusesLyingHeaders) {
  const auto header = [&](const std::string& descr, const std::string& order, const std::string& shape) {
    write_header("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }", 48);
  };
  header("'<f8'", "False", "(7,)");
  refuse("needs 56 bytes of data, and it has 48");
  for (const char* shape : {"(4294967296, 4294967296)", "(2305843009213693952, 8)", "(2305843009213693952,)",
                            "(0, 4294967296, 4294967296)"}) {
    header("'<f8'", "False", shape);
    refuse("2^63");
  }
  header("'<f8'", "False", "(99999999999999999999,)");
  refuse("63 bits");
  header("'<f8'", "False", "(-6,)");
  refuse("negative");
  header("'<f8'", "False", "(6)");
  refuse("tuple");
  header("'<f8'", "0", "(6,)");
  refuse("fortran_order");
  header("'|O'", "False", "(6,)");
  refuse("Python objects");
  header("'<f7'", "False", "(6,)");
  refuse("'<f7'");
  header("'<f8'", "False", "(6,), 'extra': 1");
  refuse("unknown key");
  header("__import__('os')", "False", "(6,)");
  refuse("no Python literal");
  write_header("{'descr': '<f8', 'shape': (6,)}", 48);
  refuse("lacks");
  write_header(std::string(100, '('), 0);
  refuse("nested too deeply");
  header("'<f4'", "False", "(6,)");
  refuse<DTypeError>("float32");
}

TEST_F(NpyFile, TheHeaderLimitIsTheCallers) {
  std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }";
  dictionary.append(5000, ' ');
  write_header(dictionary, 48);
  EXPECT_EQ(load_npy<double>(path).size(), 6);
  EXPECT_THROW(load_npy<double>(path, {.header_bytes = 1000}), FormatError);
}

TEST_F(NpyFile, AFailedWriteLeavesNothing) {
  const std::string nowhere = ::testing::TempDir() + "ferry_no_such_folder/a.npy";
  EXPECT_THROW(save_npy(nowhere, arange<int>(3)), Error);
  save_npy(path, arange<double>(3));
  // A type that the format cannot express is refused before the old file is touched.
  const std::byte element[2] = {};
  EXPECT_THROW(write_npy(path, DType::scalar(Kind::brain, 2), element, Layout::contiguous({}, 2)), DTypeError);
  EXPECT_EQ(load_npy<double>(path).size(), 3);
}

TEST_F(NpyFile, AnyTypeIsLoadedAsTheFileHasIt) {
  write_array("[('x', '<f8'), ('', '|V3'), ('r', [('n', '>i2', (2,)), ('s', '|S3')], (2,)), ('flag', '|b1')]", "(1,)",
              std::string("\0\0\0\0\0\0\xf0\x3f___\0\1\0\2ab\0\0\3\0\4xyz\2", 26));
  const AnyArray array = load_npy(path);
  EXPECT_EQ(array.dtype().name(),
            "{x: float64 @0, r: {n: >int16[2] @0, s: bytes3 @4, size 7}[2] @11, flag: bool @25, size 26}");
  EXPECT_EQ(array.to_string(), "[(1., [([1, 2], b'ab'), ([3, 4], b'xyz')],  True)]");
  EXPECT_EQ(array.field("r").field("n").shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(array.field("r").field("n").item<std::int16_t>(0, 1, 0), 3);
  EXPECT_EQ(array.field("flag").data()[0], std::byte{1}) << "2 is no bool";
  save_npy(path, array);
  EXPECT_EQ(load_npy(path), array);
  EXPECT_EQ(load_npy(path).dtype(), array.dtype());
}

TEST_F(NpyFile, SubArraysAndTitles) {
  write_array("[(('A title', 'a'), '<i2', 2), ('b', ('<i2', (1, 2))), ('c', '<i2', ())]", "(1,)",
              std::string(10, '\1'));
  const DType dtype = load_npy(path).dtype();
  EXPECT_EQ(dtype.name(), "{a: int16[2] @0, b: int16[1][2] @4, c: int16 @8, size 10}");
}

TEST_F(NpyFile, NamesInEveryVersion) {
  // Latin-1 before version 3, UTF-8 then; what cannot be printed is escaped.
  write_header("{'descr': [('\xe9', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4, 1);
  EXPECT_EQ(load_npy(path).dtype().fields()[0].name, "\xc3\xa9");
  write_header("{'descr': [('\xc3\xa9', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4, 3);
  EXPECT_EQ(load_npy(path).dtype().fields()[0].name, "\xc3\xa9");
  write_header("{'descr': [('\\xe9\\u65e5\\U0001f600\\n', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4, 1);
  EXPECT_EQ(load_npy(path).dtype().fields()[0].name, "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80\n");
  save_npy(path, load_npy(path));
  EXPECT_EQ(NpyReader(path).header().version, 3);
  EXPECT_EQ(load_npy(path).dtype().fields()[0].name, "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80\n");
  for (const char* bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    write_header(std::string("{'descr': [('") + bad + "', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4, 3);
    refuse("UTF-8");
  }
  for (const char* bad : {"\\ud800", "\\U00110000", "\\u12", "\\xg1", "\\N", "\\u 123", "\\u-123"}) {
    write_array("[('" + std::string(bad) + "', '<f4')]", "(1,)", "1234");
    refuse("escape");
  }
}

TEST_F(NpyFile, RefusesLyingRecords) {
  const auto descr = [&](const std::string& text) { write_array(text, "(1,)", std::string(64, '\1')); };
  descr("[('a', '<f8'), ('a', '<f8')]");
  refuse("two fields");
  descr("[('', '<f8')]");
  refuse("no name");
  descr("[('a', '<f8', (-1,))]");
  refuse("negative");
  descr("[('a', '<f8', (4294967296, 4294967296))]");
  refuse("2^63");
  descr("[('a', '|V9223372036854775807'), ('b', '|V9223372036854775807')]");
  refuse("2^63");
  descr("[('a', '|S0', (1000, 1000, 1000))]");
  refuse("without bytes");
  descr("[('a',)]");
  refuse("(name, type[, shape])");
  descr("['<f8']");
  refuse("(name, type[, shape])");
  descr("('<f8', (3,))");
  refuse("sub-array");
  descr("[('a', None)]");
  refuse("neither a string nor a list");
  descr("'<U4611686018427387904'");
  refuse("none that Ferry reads");
  descr("'<M8[ns]'");
  refuse("dates");
  descr("'|V99999999999999999999'");
  refuse("none that Ferry reads");
  descr("'<f8garbage'");
  refuse("none that Ferry reads");
}

TEST_F(NpyFile, ElementsOfNoBytes) {
  // Their number is believed, since it costs nothing; but it must be a number.
  write_array("'|S0'", "(1000000000000,)", "");
  EXPECT_EQ(load_npy(path).size(), 1000000000000);
  EXPECT_EQ(load_npy(path).nbytes(), 0);
  EXPECT_EQ(map_npy(path).shape(), (Shape{1000000000000}));
  write_array("'|V0'", "(4294967296, 4294967296)", "");
  refuse("2^63");
}

TEST_F(NpyFile, MappedReadOnly) {
  const auto array = arange<double>(1000).reshape(10, 100);
  save_npy(path, array);
  const AnyArray any = map_npy(path);
  EXPECT_TRUE(any.is_read_only());
  EXPECT_THROW(any.as<double>(), AccessError);
  EXPECT_EQ(any, AnyArray(array));
  HostArray<const double> row;
  {
    const auto mapped = map_npy<const double>(path);
    EXPECT_EQ(mapped.copy(), array);
    row = mapped(3, slice());
  }
  // The mapping lives as long as the last view, also when the file goes.
  std::remove(path.c_str());
  EXPECT_EQ(row(5), 305.0);
  EXPECT_EQ(to_device(row, {.device = test::device()}).item(99), 399.0);
}

TEST_F(NpyFile, MappedCopyOnWrite) {
  save_npy(path, arange<double>(6));
  const auto mapped = map_npy<double>(path);
  mapped(2) = 100;
  EXPECT_EQ(mapped(2), 100.0);
  EXPECT_EQ(map_npy<const double>(path)(2), 2.0);
  const AnyArray any = map_npy(path, MapMode::copy_on_write);
  any.as<double>()(0) = -1;
  EXPECT_EQ(any.item<double>(0), -1.0);
  EXPECT_EQ(load_npy<double>(path)(0), 0.0);
}

TEST_F(NpyFile, WhatIsMappedMayBeReplaced) {
  save_npy(path, arange<double>(6));
  const auto mapped = map_npy<const double>(path);
  save_npy(path, mapped(slice(none, none, -1)));
  EXPECT_EQ(mapped(5), 5.0);
  EXPECT_EQ(load_npy<double>(path)(5), 0.0);
}

TEST_F(NpyFile, MappedInOtherWays) {
  write_array("'>i4'", "(2,)", std::string("\0\0\0\1\0\0\0\2", 8));
  EXPECT_EQ(map_npy<const std::int32_t>(path)(1), 2);
  EXPECT_EQ(map_npy<std::int32_t>(path)(0), 1);
  EXPECT_EQ(map_npy(path).item<std::int32_t>(1), 2);
  write_array("'<f8'", "(0, 3)", "");
  EXPECT_EQ(map_npy<const double>(path).shape(), (Shape{0, 3}));
  EXPECT_THROW(map_npy<float>(path), DTypeError);
  EXPECT_THROW(map_npy<float>(path + ".not"), Error);
}

TEST_F(NpyFile, WritesAreAtomic) {
  namespace fs = std::filesystem;
  const fs::path folder = path + ".folder";
  fs::create_directory(folder);
  const std::string file = folder / "a.npy", link = folder / "link.npy";
  save_npy(file, arange<double>(3));
  fs::permissions(file, fs::perms::owner_all | fs::perms::group_read);
  fs::create_symlink("a.npy", link);
  const auto old = map_npy<const double>(file);
  save_npy(link, arange<double>(4));
  EXPECT_TRUE(fs::is_symlink(link)) << "the file behind it is written";
  EXPECT_EQ(load_npy<double>(file).size(), 4);
  EXPECT_EQ(old.size(), 3) << "the old file was replaced, not overwritten";
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_all | fs::perms::group_read);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2) << "nothing else is left";
  fs::remove_all(folder);
}

TEST_F(NpyFile, SpecialFiles) {
  // Replacing a device by a file would be a disaster, and its size says nothing.
  save_npy("/dev/null", arange<double>(3));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THROW(load_npy("/dev/null"), Error);
  EXPECT_THROW(load_npy(::testing::TempDir()), Error);
  EXPECT_THROW(save_npy(::testing::TempDir(), arange<double>(3)), Error);
}

TEST_F(NpyFile, TheFormatsLimits) {
  const AnyArray brain = host_array({2}, DType::scalar(Kind::brain, 2));
  EXPECT_THROW(save_npy(path, brain), DTypeError);
  const DType overlapping = DType::record({{"a", dtype_of<int>(), 0}, {"b", dtype_of<short>(), 2}}, 4, 1);
  EXPECT_THROW(save_npy(path, host_array({2}, overlapping)), DTypeError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
