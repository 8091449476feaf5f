// What printed arrays look like. That they look as NumPy's do, to the character, is shown with NumPy itself in
// tests/interop/print_like_numpy.py; here are the rules one by one, and what NumPy does not know.
#include <gtest/gtest.h>

#include <complex>
#include <ferry/ferry.hpp>
#include <limits>
#include <locale>
#include <sstream>
#include <vector>

#include "support/test_device.hpp"

namespace ferry::test {
namespace {

template <class T>
std::string text(const std::vector<T>& values) {
  return AnyArray(host_view(values.data(), {values.size()})).to_string();
}
template <class T>
std::string lone(const T& value) {
  return AnyArray(host_view(&value, {})).to_string();
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Printing, Columns) {
  EXPECT_EQ(text<int>({1, -20, 300}), "[  1 -20 300]");
  EXPECT_EQ(text<double>({1, 2.5, -3.125}), "[ 1.     2.5   -3.125]");
  EXPECT_EQ(text<double>({1, 2, 3}), "[1. 2. 3.]");
  EXPECT_EQ(text<double>({1.0 / 3}), "[0.33333333]");
  EXPECT_EQ(text<std::complex<double>>({{1, -2}, {0.5, 10}}), "[1.  -2.j 0.5+10.j]");
}

TEST(Printing, ScientificWhenSpreadOrExtreme) {
  EXPECT_EQ(text<double>({1, 1000}), "[   1. 1000.]");
  EXPECT_EQ(text<double>({1, 1001}), "[1.000e+00 1.001e+03]");
  EXPECT_EQ(text<double>({1e8}), "[1.e+08]");
  EXPECT_EQ(text<double>({99999999}), "[99999999.]");
  EXPECT_EQ(text<double>({0.0001}), "[0.0001]");
  EXPECT_EQ(text<double>({0.00009}), "[9.e-05]");
  EXPECT_EQ(text<double>({0, 1e-300}), "[0.e+000 1.e-300]");
}

TEST(Printing, NotNumbers) {
  EXPECT_EQ(text<double>({nan, 1}), "[nan  1.]");
  EXPECT_EQ(text<double>({-infinity, 1.5}), "[-inf  1.5]");
  EXPECT_EQ(text<double>({nan, infinity}), "[nan inf]");
  EXPECT_EQ(lone(-infinity), "-inf");
}

TEST(Printing, LoneValuesShowAllTheirDigits) {
  EXPECT_EQ(lone(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(lone(1.0F / 3), "0.33333334");
  EXPECT_EQ(lone(1e15), "1000000000000000.0");
  EXPECT_EQ(lone(1e16), "1e+16");
  EXPECT_EQ(lone(1.5e-5), "1.5e-05");
  EXPECT_EQ(lone(std::complex<double>{0, 2}), "2j");
  EXPECT_EQ(lone(std::complex<double>{1, -2.5}), "(1-2.5j)");
  EXPECT_EQ(lone(true), "True");
  EXPECT_EQ(lone(-7), "-7");
}

TEST(Printing, Booleans) {
  const bool flags[] = {true, false};
  EXPECT_EQ(AnyArray(host_view(flags, {2})).to_string(), "[ True False]");
}

TEST(Printing, NestedBrackets) {
  EXPECT_EQ(AnyArray(arange(8).reshape(2, 2, 2)).to_string(), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  EXPECT_EQ(AnyArray(arange(4).reshape(2, 2).transpose()).to_string(), "[[0 2]\n [1 3]]");
  EXPECT_EQ(AnyArray(arange(0).reshape(3, 0, 2)).to_string(), "[]");
}

TEST(Printing, TheMiddleOfLargeArraysIsLeftOut) {
  EXPECT_EQ(AnyArray(arange(1001)).to_string(), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(AnyArray(arange(100).broadcast_to({500, 100})(slice(), slice(0, 8))).to_string(),
            "[[0 1 2 ... 5 6 7]\n [0 1 2 ... 5 6 7]\n [0 1 2 ... 5 6 7]\n ...\n [0 1 2 ... 5 6 7]\n"
            " [0 1 2 ... 5 6 7]\n [0 1 2 ... 5 6 7]]");
  // The elements left out are not read either.
  EXPECT_EQ(AnyArray(arange(1)).broadcast_to({1LL << 40}).to_string(), "[0 0 0 ... 0 0 0]");
}

TEST(Printing, LongRowsAreWrapped) {
  const std::string wrapped = AnyArray(arange(30)).to_string();
  EXPECT_EQ(wrapped, "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29]");
}

TEST(Printing, TypesThatNumPyLacks) {
  const std::uint16_t brains[] = {0x3f80, 0x3dcd, 0xc1f7, 0x7f80};  // 1, 0.1, -30.9 and infinity
  EXPECT_EQ(host_view(brains, DType::scalar(Kind::brain, 2), {4}).to_string(), "[  1.    0.1 -30.9   inf]");
  EXPECT_EQ(host_view(brains + 1, DType::scalar(Kind::brain, 2), {}).to_string(), "0.1");
  __extension__ const __int128 wide[] = {-1, static_cast<__int128>(1) << 100};
  EXPECT_EQ(host_view(wide, DType::scalar(Kind::signed_integer, 16), {2}).to_string(),
            "[                             -1 1267650600228229401496703205376]");
  EXPECT_EQ(host_view(wide, DType::scalar(Kind::unsigned_integer, 16), {}).to_string(),
            "340282366920938463463374607431768211455");
}

TEST(Printing, Text) {
  const char32_t words[2][4] = {{U'\u00e9', U'\'', 0, 0}, {U'\u200b', U'\n', U'\u65e5', 0x110000}};
  const AnyArray text = host_view(words, DType::scalar(Kind::unicode, 16), {2});
  EXPECT_EQ(text.to_string(), "[\"\u00e9'\" '\\u200b\\n\u65e5\\U00110000']");
  EXPECT_EQ(text(0).to_string(), "\u00e9'");
  EXPECT_EQ(text(1).to_string(), "\u200b\n\u65e5\ufffd");
  EXPECT_EQ(text.astype(DType::scalar(Kind::unicode, 16, 0, ByteOrder::swapped)), text);
  EXPECT_THROW(text.astype(dtype_of<int>()), DTypeError);
}

TEST(Printing, DeviceArraysAndTheOtherByteOrder) {
  std::ostringstream out;
  out << AnyArray(to_device(std::vector<float>{1, 2.5}, {.device = device()}));
  EXPECT_EQ(out.str(), "[1.  2.5]");
  const unsigned char bytes[] = {0, 1, 1, 0};
  EXPECT_EQ(host_view(bytes, DType::scalar(Kind::unsigned_integer, 2, 0, ByteOrder::swapped), {2}).to_string(),
            "[  1 256]");
}

// Commas for points and thousands apart: whoever asks the locale prints what nobody can read back.
struct Elsewhere : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Printing, NoLocaleChangesIt) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Elsewhere));
  std::ostringstream out;
  out << host_view(std::vector<double>{1234567.25}.data(), {1}).copy() << AnyArray(arange(123457)(slice(123456, none)));
  std::locale::global(before);
  EXPECT_EQ(out.str(), "[1234567.25][123456]");
}

}  // namespace
}  // namespace ferry::test
