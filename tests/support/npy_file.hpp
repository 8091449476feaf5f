// A .npy file written byte by byte, as NumPy, other libraries and their bugs write them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ferry/error.hpp>
#include <ferry/npy.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ferry::test {

/// The bytes of values, as they lie in memory.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A file that goes away with the test.
class NpyFile : public ::testing::Test {
 protected:
  void TearDown() override { std::remove(path.c_str()); }
  void write(const std::string& content) { std::ofstream(path, std::ios::binary) << content; }
  std::string content() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The dictionary without any padding, and this data.
  void write_header(const std::string& dictionary, const std::string& data, int major = 1) {
    std::string start = "\x93NUMPY";
    start += static_cast<char>(major);
    start += '\0';
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i) start += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
    write(start + dictionary + data);
  }
  void write_header(const std::string& dictionary, std::size_t data, int major = 1) {
    write_header(dictionary, std::string(data, '\1'), major);
  }
  /// The usual dictionary.
  void write_array(const std::string& descr, const std::string& shape, const std::string& data, bool fortran = false) {
    write_header(
        "{'descr': " + descr + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }",
        data);
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

}  // namespace ferry::test
