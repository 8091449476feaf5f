// astype, by NumPy's rules where it has any (tests/interop compares the two), and by Ferry's where NumPy leaves the
// result to the machine: out of range saturates, NaN becomes 0.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <ferry/ferry.hpp>
#include <limits>
#include <vector>

#include "support/error_text.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

struct HalfBits {
  std::uint16_t bits;
};
struct BrainBits {
  std::uint16_t bits;
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace
}  // namespace ferry::test

template <>
struct ferry::DTypeOf<ferry::test::HalfBits> {
  static DType get() { return DType::scalar(Kind::floating, 2); }
};
template <>
struct ferry::DTypeOf<ferry::test::BrainBits> {
  static DType get() { return DType::scalar(Kind::brain, 2); }
};

namespace ferry::test {
namespace {

/// The values as elements of To, converted on the device.
template <class To, class From>
std::vector<To> converted(const std::vector<From>& values) {
  const HostArray<To> result = to_device(values, {.device = device()}).template astype<To>().copy_to_host();
  return {result.begin(), result.end()};
}
std::vector<std::uint16_t> half_bits(const std::vector<double>& values) {
  std::vector<std::uint16_t> bits;
  for (const HalfBits half : converted<HalfBits>(values)) bits.push_back(half.bits);
  return bits;
}
std::vector<std::uint16_t> brain_bits(const std::vector<double>& values) {
  std::vector<std::uint16_t> bits;
  for (const BrainBits brain : converted<BrainBits>(values)) bits.push_back(brain.bits);
  return bits;
}

template <class To>
class FloatToInteger : public ::testing::Test {};
using Integers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                  std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(FloatToInteger, Integers);

TYPED_TEST(FloatToInteger, TruncatesTowardsZero) {
  EXPECT_EQ((converted<TypeParam, double>({0.0, -0.0, 0.99, 1.5, 2.5, 99.999})),
            (std::vector<TypeParam>{0, 0, 0, 1, 2, 99}));
  EXPECT_EQ((converted<TypeParam, float>({0.0F, 0.5F, 1.75F})), (std::vector<TypeParam>{0, 0, 1}));
}

TYPED_TEST(FloatToInteger, SaturatesAndTakesNanForZero) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> expected{
      0, Limits::max(), Limits::min(), Limits::max(), Limits::min(), Limits::max(), Limits::min()};
  EXPECT_EQ((converted<TypeParam, double>({nan, infinity, -infinity, 1e30, -1e30, 0x1p64, -0x1p64})), expected);
  const auto narrow = [](double x) { return static_cast<float>(x); };
  EXPECT_EQ((converted<TypeParam, float>(
                {narrow(nan), narrow(infinity), narrow(-infinity), 1e30F, -1e30F, 0x1p64F, -0x1p64F})),
            expected);
  const std::vector<long double> wide{
      static_cast<long double>(nan), infinity, -infinity, 1e30L, -1e30L, 0x1p64L, -0x1p64L};
  if (device().space().capabilities().runs_tasks) {
    EXPECT_EQ((converted<TypeParam, long double>(wide)), expected);
  } else {  // GPUs have no such type
    EXPECT_THROW((converted<TypeParam, long double>(wide)), DTypeError);
  }
  EXPECT_EQ((converted<TypeParam, std::complex<double>>({{nan, 1}, {infinity, 0}, {1e30, nan}})),
            (std::vector<TypeParam>{0, Limits::max(), Limits::max()}));
}

TYPED_TEST(FloatToInteger, TheEdgesOfTheRange) {
  using Limits = std::numeric_limits<TypeParam>;
  const double beyond = std::ldexp(1.0, Limits::digits), below = std::nextafter(beyond, 0);
  const double lowest = static_cast<double>(Limits::min());
  EXPECT_EQ((converted<TypeParam, double>({beyond, below, lowest, lowest - 0.5})),
            (std::vector<TypeParam>{Limits::max(), static_cast<TypeParam>(below), Limits::min(), Limits::min()}));
}

TEST(Conversions, BetweenIntegersWrapsAsInNumPy) {
  EXPECT_EQ((converted<std::uint8_t, std::int32_t>({-1, 256, 257, 255})), (std::vector<std::uint8_t>{255, 0, 1, 255}));
  EXPECT_EQ((converted<std::int8_t, std::uint64_t>({200, UINT64_MAX})), (std::vector<std::int8_t>{-56, -1}));
  EXPECT_EQ((converted<std::uint64_t, std::int8_t>({-1})), (std::vector<std::uint64_t>{UINT64_MAX}));
}

TEST(Conversions, ToAndFromBool) {
  EXPECT_EQ((converted<bool, double>({0.0, -0.0, 0.1, nan, -infinity})),
            (std::vector<bool>{false, false, true, true, true}));
  EXPECT_EQ((converted<bool, std::int64_t>({0, 256, -1})), (std::vector<bool>{false, true, true}));
  EXPECT_EQ((converted<bool, std::complex<float>>({{0, 0}, {0, 1}, {1, 0}})), (std::vector<bool>{false, true, true}));
  const auto flags = host_array<bool>({2});
  flags(0) = true;
  flags(1) = false;
  EXPECT_EQ(flags.astype<double>()(0), 1.0);
  EXPECT_EQ(flags.astype<std::complex<double>>()(0), (std::complex<double>{1, 0}));
  EXPECT_EQ(flags.astype<HalfBits>()(0).bits, 0x3c00);
  EXPECT_EQ(flags.astype<std::int8_t>()(1), 0);
}

TEST(Conversions, Complex) {
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  EXPECT_EQ((converted<double, C128>({{1.5, -2}, {-3, 4}})), (std::vector<double>{1.5, -3})) << "the real part";
  EXPECT_EQ((converted<C128, float>({1.5F})), (std::vector<C128>{{1.5, 0}}));
  EXPECT_EQ((converted<C64, C128>({{1e300, -1e300}})),
            (std::vector<C64>{{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}}));
  EXPECT_EQ((converted<C128, std::int64_t>({-7})), (std::vector<C128>{{-7, 0}}));
}

TEST(Conversions, ToHalf) {
  EXPECT_EQ(
      half_bits({0.0, -0.0, 1.0, -2.0, 65504, 65519, 65520, 1e30, -1e30, infinity, -infinity}),
      (std::vector<std::uint16_t>{0, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x7c00, 0xfc00, 0x7c00, 0xfc00}));
  // Ties go to even: half way between 1 and its successors; half the smallest subnormal, and a little more.
  EXPECT_EQ(half_bits({1 + 0x1p-11, 1 + 3 * 0x1p-11, 0x1p-25, 0x1.0001p-25, 0x1p-24, 0x1p-14, 0x1.ffcp-15}),
            (std::vector<std::uint16_t>{0x3c00, 0x3c02, 0, 1, 1, 0x0400, 0x0400}));
  // Rounded once: by way of float this would be a tie, and go down.
  EXPECT_EQ(half_bits({1 + 0x1p-11 + 0x1p-40}), (std::vector<std::uint16_t>{0x3c01}));
  EXPECT_GT(half_bits({nan})[0] & 0x7fff, 0x7c00);
}

TEST(Conversions, ToBfloat) {
  EXPECT_EQ(brain_bits({0.0, -0.0, 1.0, -2.0, infinity, -infinity, 1e300, -1e300, 3.3895313892515355e38}),
            (std::vector<std::uint16_t>{0, 0x8000, 0x3f80, 0xc000, 0x7f80, 0xff80, 0x7f80, 0xff80, 0x7f7f}));
  EXPECT_EQ(brain_bits({1 + 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8 - 0x1p-40}),
            (std::vector<std::uint16_t>{0x3f80, 0x3f82, 0x3f81, 0x3f80}));
  EXPECT_GT(brain_bits({nan})[0] & 0x7fff, 0x7f80);
}

TEST(Conversions, EveryHalfAndBfloatSurvivesAFloat) {
  std::vector<HalfBits> halves(65536);
  std::vector<BrainBits> brains(65536);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    halves[bits].bits = static_cast<std::uint16_t>(bits);
    brains[bits].bits = static_cast<std::uint16_t>(bits);
  }
  const auto half_floats = converted<float>(halves), brain_floats = converted<float>(brains);
  const auto half_back = converted<HalfBits>(half_floats);
  const auto brain_back = converted<BrainBits>(brain_floats);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    if (std::isnan(half_floats[bits])) {
      EXPECT_GT(bits & 0x7fff, 0x7c00u);
      EXPECT_GT(half_back[bits].bits & 0x7fff, 0x7c00);
    } else {
      EXPECT_EQ(half_back[bits].bits, bits);
    }
    if (std::isnan(brain_floats[bits])) {
      EXPECT_GT(brain_back[bits].bits & 0x7fff, 0x7f80);
    } else {
      EXPECT_EQ(brain_back[bits].bits, bits);
    }
  }
  EXPECT_EQ((converted<std::int32_t>(std::vector<HalfBits>{{0x7c00}, {0x7e00}, {0x3e00}})),
            (std::vector<std::int32_t>{INT32_MAX, 0, 1}));
}

TEST(Conversions, OfViewsAndOfNothing) {
  const auto array = to_device(arange<std::int32_t>(12).reshape(3, 4), {.device = device()});
  const auto view = array(slice(none, none, -1), slice(none, none, 2)).transpose().astype<double>();
  EXPECT_EQ(view.copy_to_host()(1, 0), 10.0);
  EXPECT_TRUE(view.is_f_contiguous()) << "the operand's order of axes";
  EXPECT_EQ(array(slice(0, 0)).astype<float>().shape(), (Shape{0, 4}));
  EXPECT_EQ(array(1, 2).astype<float>().item(), 6.0F);
}

TEST(Conversions, WithoutARule) {
  struct Opaque {
    char bytes[8];
  };
  const auto opaque = device_array<Opaque>({2}, {.device = device()});
  expect_error<DTypeError>([&] { opaque.astype<double>(); }, {"astype", "raw8", "float64"});
  const auto numbers = device_array<double>({2}, {.device = device()});
  expect_error<DTypeError>([&] { numbers.astype<Opaque>(); }, {"raw8", "float64"});
}

}  // namespace
}  // namespace ferry::test
