// astype on the device: right by NumPy's rules, and the same on every backend.
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>

#include "contract/contract.hpp"

namespace ferry::test {

namespace {

// Not long double, which devices do not have.
const std::vector<DType>& types() {
  static const std::vector<DType> all = {dtype_of<bool>(),
                                         dtype_of<std::int8_t>(),
                                         dtype_of<std::int16_t>(),
                                         dtype_of<std::int32_t>(),
                                         dtype_of<std::int64_t>(),
                                         dtype_of<std::uint8_t>(),
                                         dtype_of<std::uint16_t>(),
                                         dtype_of<std::uint32_t>(),
                                         dtype_of<std::uint64_t>(),
                                         DType::scalar(Kind::floating, 2),
                                         DType::scalar(Kind::brain, 2),
                                         dtype_of<float>(),
                                         dtype_of<double>(),
                                         dtype_of<std::complex<float>>(),
                                         dtype_of<std::complex<double>>()};
  return all;
}

/// Values at which some conversion rounds, saturates, overflows or loses bits.
std::vector<double> corner_values() {
  std::vector<double> values = {0.0,
                                -0.0,
                                0.25,
                                0.5,
                                1.0 / 3,
                                1.5,
                                2.5,
                                3.999,
                                2049,
                                2051,
                                65504,
                                65519.99,
                                65520,
                                1e-8,
                                6e-8,
                                1e-40,
                                5e-324,
                                1e20,
                                3.5e38,
                                1e300,
                                std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
  for (const int bits : {7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64}) {
    const double power = std::ldexp(1.0, bits);
    values.insert(values.end(), {power, power - 1, power + 1, std::nextafter(power, 0.0)});
  }
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

/// Elements of a type: the corner values as the type holds them, and random bits, which reach all of an integer.
Bytes sample(const DType& dtype, std::mt19937& random, index_t& count) {
  const std::vector<double> values = corner_values();
  const auto itemsize = static_cast<std::size_t>(dtype.itemsize());
  const std::size_t corners = values.size(), all = corners + 100;
  Bytes bytes(all * itemsize);
  const index_t n = static_cast<index_t>(corners);
  backend::host_convert({reinterpret_cast<std::byte*>(bytes.data()),
                         reinterpret_cast<const std::byte*>(values.data()),
                         dtype,
                         dtype_of<double>(),
                         {n},
                         {dtype.itemsize()},
                         {8}});
  for (std::size_t i = corners * itemsize; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(random() & (dtype.kind() == Kind::boolean ? 1u : 255u));
  }
  count = static_cast<index_t>(all);
  return bytes;
}

/// Whether two results are the same, bit by bit but for NaNs, whose payload is the machine's own.
bool same(const DType& dtype, const std::uint8_t* a, const std::uint8_t* b) {
  if (std::memcmp(a, b, static_cast<std::size_t>(dtype.itemsize())) == 0) return true;
  const bool has_nan = dtype.kind() == Kind::floating || dtype.kind() == Kind::brain || dtype.kind() == Kind::complex;
  if (!has_nan) return false;
  const auto wide = [&](const std::uint8_t* value) {
    std::complex<double> result;
    backend::host_convert({reinterpret_cast<std::byte*>(&result),
                           reinterpret_cast<const std::byte*>(value),
                           dtype_of<std::complex<double>>(),
                           dtype,
                           {},
                           {},
                           {}});
    return result;
  };
  const auto equal = [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0;
  };
  const std::complex<double> x = wide(a), y = wide(b);
  return equal(x.real(), y.real()) && equal(x.imag(), y.imag());
}

}  // namespace

class ContractConvert : public Contract {
 protected:
  template <class To, class From>
  To converted(From value) {
    const Block source(space, sizeof value), target(space, sizeof(To));
    space.copy(source.get(), &value, sizeof value, nullptr);
    space.convert_strided({target.get(), source.get(), dtype_of<To>(), dtype_of<From>(), {}, {}, {}}, nullptr);
    To result{};
    space.copy(&result, target.get(), sizeof result, nullptr);
    space.synchronize_stream(nullptr);
    return result;
  }
  template <class To>
  void expect_saturation() {
    using Limits = std::numeric_limits<To>;
    EXPECT_EQ(converted<To>(1e300), Limits::max());
    EXPECT_EQ(converted<To>(-1e300), Limits::min());
    EXPECT_EQ(converted<To>(std::numeric_limits<float>::infinity()), Limits::max());
    EXPECT_EQ(converted<To>(std::ldexp(1.0, Limits::digits)), Limits::max());
    EXPECT_EQ(converted<To>(std::numeric_limits<double>::quiet_NaN()), To{0});
    EXPECT_EQ(converted<To>(std::numeric_limits<float>::quiet_NaN()), To{0});
    EXPECT_EQ(converted<To>(2.99), To{2});
    EXPECT_EQ(converted<To>(-0.99), To{0});
  }
};
FERRY_CONTRACT(ContractConvert);

TEST_P(ContractConvert, FloatsOutOfRangeSaturateAndNanIsZero) {
  expect_saturation<std::int8_t>();
  expect_saturation<std::int16_t>();
  expect_saturation<std::int32_t>();
  expect_saturation<std::int64_t>();
  expect_saturation<std::uint8_t>();
  expect_saturation<std::uint16_t>();
  expect_saturation<std::uint32_t>();
  expect_saturation<std::uint64_t>();
  EXPECT_EQ(converted<std::uint64_t>(std::ldexp(3.0, 62)), std::uint64_t{3} << 62) << "above the signed range";
}

TEST_P(ContractConvert, FollowsNumPy) {
  EXPECT_EQ(converted<std::int8_t>(std::int32_t{-129}), 127) << "integers wrap";
  EXPECT_EQ(converted<std::uint64_t>(std::int8_t{-1}), UINT64_MAX);
  EXPECT_EQ(converted<double>(UINT64_MAX), 0x1p64);
  EXPECT_EQ(converted<float>(std::int32_t{16'777'217}), 16'777'216.0f) << "ties go to even";
  EXPECT_EQ(converted<float>(std::int64_t{(std::int64_t{1} << 54) + (std::int64_t{1} << 30) + 1}), 0x1.000002p54f)
      << "one rounding, not one to double and another to float";
  EXPECT_EQ(converted<bool>(0.25), true);
  EXPECT_EQ(converted<bool>(-0.0), false);
  EXPECT_EQ(converted<bool>(std::numeric_limits<float>::quiet_NaN()), true);
  EXPECT_EQ(converted<bool>(std::complex<float>(0, 1)), true);
  EXPECT_EQ(converted<double>(std::complex<float>(3, 4)), 3.0) << "the imaginary part goes";
  EXPECT_EQ(converted<std::complex<double>>(true), std::complex<double>(1, 0));
  EXPECT_EQ(converted<float>(1e300), std::numeric_limits<float>::infinity());
  EXPECT_EQ(converted<std::int32_t>(true), 1);
}

TEST_P(ContractConvert, EveryPairAgreesWithTheHost) {
  std::mt19937 random(3);
  for (const DType& from : types()) {
    index_t n = 0;
    const Bytes data = sample(from, random, n);
    const Block source(space, data.size());
    upload(source.get(), data);
    for (const DType& to : types()) {
      const index_t item = to.itemsize(), stride = item + 5;  // odd addresses, and gaps that must stay as they are
      const auto bytes = static_cast<std::size_t>(1 + n * stride);
      const Block target(space, bytes);
      Bytes expected(bytes, 0xAA);
      upload(target.get(), expected);
      backend::StridedConvert convert{
          target.get() + 1, source.get() + (n - 1) * from.itemsize(), to, from, {n}, {stride}, {-from.itemsize()}};
      space.convert_strided(convert, nullptr);
      convert.to = reinterpret_cast<std::byte*>(expected.data()) + 1;
      convert.from = reinterpret_cast<const std::byte*>(data.data()) + (n - 1) * from.itemsize();
      backend::host_convert(convert);
      const Bytes result = download(target.get(), bytes);
      ASSERT_EQ(result[0], 0xAA);
      for (index_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(1 + i * stride);
        ASSERT_TRUE(same(to, &result[at], &expected[at])) << from.name() << " to " << to.name() << ", element " << i;
        for (std::size_t gap = 0; gap < 5; ++gap) {
          ASSERT_EQ(result[at + static_cast<std::size_t>(item) + gap], 0xAA) << from.name() << " to " << to.name();
        }
      }
    }
  }
}

}  // namespace ferry::test
