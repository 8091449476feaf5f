// .npy files: what is written, what is accepted, and what is refused before anything is allocated.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <ferry/ferry.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "support/test_device.hpp"

namespace {

using namespace ferry;

/// A file that goes away with the test.
class NpyFile : public ::testing::Test {
 protected:
  void TearDown() override { std::remove(path.c_str()); }
  void write(const std::string& content) { std::ofstream(path, std::ios::binary) << content; }
  std::string content() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Version 1 with this dictionary and these bytes of data.
  void write_header(const std::string& dictionary, std::size_t data, int major = 1) {
    std::string start = "\x93NUMPY";
    start += static_cast<char>(major);
    start += '\0';
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i) start += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
    write(start + dictionary + std::string(data, '\1'));
  }
  template <class E = FormatError>
  void refuse(const std::string& part) {
    try {
      load_npy<double>(path);
      FAIL() << "accepted; expected an error with '" << part << "'";
    } catch (const E& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
  const std::string path = ::testing::TempDir() + "ferry_npy_test_" + std::to_string(::getpid()) + ".npy";
};

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

}  // namespace
