// allclose, array_equal and shares_memory, for arrays of every kind.
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <span>
#include <vector>

#include "ferry/ferry.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
using Doubles = std::vector<double>;

NDArray<double> on_device(const Doubles& values) {
  return to_device(values, {.device = device()});
}

struct Colour {
  std::uint8_t red, green, blue;
};
#pragma pack(push, 1)
struct Packed {
  char tag;
  double value;
};
#pragma pack(pop)

TEST(ArrayEqual, OfArraysOfEveryKind) {
  const Doubles values{1, 2, 3};
  const double c_array[] = {1, 2, 3};
  const auto d = on_device(values);
  const auto mapped_copy = mapped_array<double>({3}, {.device = device()});
  const auto managed_copy = managed_array<double>({3}, {.device = device()});
  const Stream stream(device(), {.non_blocking = true});
  mapped_copy.copy_to_device(d, stream);  // waited for by whoever compares
  managed_copy.copy_to_device(d, stream);
  EXPECT_TRUE(array_equal(d, mapped_copy));
  EXPECT_TRUE(array_equal(managed_copy, c_array));
  EXPECT_TRUE(array_equal(values, d));
  EXPECT_TRUE(array_equal(std::span(values), host_view(c_array, {3})));
  EXPECT_TRUE(array_equal(d.flip(0), Doubles{3, 2, 1}));
  EXPECT_FALSE(array_equal(d, Doubles{1, 2, 4}));
  EXPECT_FALSE(array_equal(d, d.reshape(3, 1)));
  EXPECT_FALSE(array_equal(d, d.reshape(1, 3)));
}

TEST(ArrayEqual, NumbersAreComparedAsNumbers) {
  EXPECT_FALSE(array_equal(on_device({nan}), Doubles{nan}));
  EXPECT_TRUE(array_equal(on_device({-0.0, inf}), Doubles{0.0, inf}));
}

TEST(ArrayEqual, EmptyAndScalar) {
  EXPECT_TRUE(array_equal(on_device({}), Doubles{}));
  EXPECT_FALSE(array_equal(zeros<double>({0, 3}, {.device = device()}), zeros<double>({3, 0}, {.device = device()})));
  EXPECT_TRUE(array_equal(to_device(2.5, {.device = device()}), on_device({2.5}).reshape(Shape{})));
}

TEST(ArrayEqual, RecordsAndMisalignedFields) {
  const std::vector<Colour> colours{{1, 2, 3}, {4, 5, 6}};
  const auto d = to_device(colours, {.device = device()});
  EXPECT_TRUE(array_equal(d, colours));
  d.field(&Colour::blue).fill(0);
  EXPECT_FALSE(array_equal(d, colours));
  const auto packed = zeros<Packed>({3}, {.device = device()});
  packed.field(&Packed::value).assign(Doubles{1, 2, 3});
  EXPECT_TRUE(array_equal(packed.field(&Packed::value), Doubles{1, 2, 3}));
}

TEST(AllClose, WithinTheTolerance) {
  const auto a = on_device({1.0, 1000.0, 0.0});
  EXPECT_TRUE(allclose(a, Doubles{1.0 + 1e-6, 1000.005, 1e-9}));
  EXPECT_FALSE(allclose(a, Doubles{1.0 + 1e-4, 1000.0, 0.0}));
  EXPECT_FALSE(allclose(a, Doubles{1.0, 1000.0, 1e-7}));
  EXPECT_TRUE(allclose(a, Doubles{1.05, 1040.0, 0.0}, {.relative = 0.1}));
  EXPECT_TRUE(allclose(a, Doubles{1.4, 1000.4, -0.4}, {.relative = 0, .absolute = 0.5}));
  EXPECT_FALSE(allclose(a, Doubles{1.0, 1000.6, 0.0}, {.relative = 0, .absolute = 0.5}));
}

TEST(AllClose, NanAndInfinity) {
  EXPECT_FALSE(allclose(on_device({nan}), Doubles{nan}));
  EXPECT_TRUE(allclose(on_device({nan, 1}), Doubles{nan, 1}, {.equal_nan = true}));
  EXPECT_FALSE(allclose(on_device({nan}), Doubles{1}, {.equal_nan = true}));
  EXPECT_TRUE(allclose(on_device({inf, -inf}), Doubles{inf, -inf}));
  EXPECT_FALSE(allclose(on_device({inf}), Doubles{-inf}));
  EXPECT_FALSE(allclose(on_device({inf}), Doubles{1e300}));
  EXPECT_FALSE(allclose(on_device({1.0}), Doubles{inf}, {.absolute = inf}));
}

TEST(AllClose, OtherTypes) {
  using Complex = std::complex<double>;
  EXPECT_TRUE(allclose(std::vector<Complex>{{3, 4}}, std::vector<Complex>{{3, 4 + 1e-6}}));
  EXPECT_FALSE(allclose(std::vector<Complex>{{3, 4}}, std::vector<Complex>{{3, 4.1}}));
  EXPECT_TRUE(allclose(std::vector<Complex>{{3, nan}}, std::vector<Complex>{{nan, 4}}, {.equal_nan = true}));
  EXPECT_TRUE(allclose(std::vector<Complex>{{inf, 1}}, std::vector<Complex>{{inf, 1}}));
  EXPECT_FALSE(allclose(std::vector<Complex>{{inf, 1}}, std::vector<Complex>{{inf, 2}}));
  EXPECT_TRUE(allclose(std::vector{100'001, -5}, std::vector{100'000, -5}));
  EXPECT_FALSE(allclose(std::vector<std::int64_t>{INT64_MAX}, std::vector<std::int64_t>{INT64_MAX - 1},
                        {.relative = 0, .absolute = 0.5}));
  EXPECT_FALSE(allclose(std::vector<std::uint64_t>{0}, std::vector<std::uint64_t>{UINT64_MAX}));
}

TEST(AllClose, Broadcasts) {
  const auto a = full<double>({2, 1, 3}, 1.5, {.device = device()});
  EXPECT_TRUE(allclose(a, full<double>({4, 1}, 1.5, {.device = device()})));
  EXPECT_TRUE(allclose(to_device(1.5, {.device = device()}), a));
  EXPECT_TRUE(allclose(a, zeros<double>({0, 1}, {.device = device()}))) << "all of no elements";
  EXPECT_THROW(allclose(a, Doubles{1, 2}), ShapeError);
}

TEST(BroadcastShapes, AsNumPyDoes) {
  const auto both = [](const Shape& a, const Shape& b) {
    EXPECT_EQ(layouts::broadcast_shapes(a, b), layouts::broadcast_shapes(b, a));
    return layouts::broadcast_shapes(a, b);
  };
  EXPECT_EQ(both({}, {}), Shape());
  EXPECT_EQ(both({3}, {}), (Shape{3}));
  EXPECT_EQ(both({2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
  EXPECT_EQ(both({1, 1}, {0, 5}), (Shape{0, 5}));
  EXPECT_THROW(both({2}, {3}), ShapeError);
  EXPECT_THROW(both({0}, {3}), ShapeError);
}

TEST(SharesMemory, ExactlyWhenAByteBelongsToBoth) {
  const auto a = zeros<double>({4, 6}, {.device = device()});
  EXPECT_TRUE(shares_memory(a, a));
  EXPECT_TRUE(shares_memory(a, a(3, 5)));
  EXPECT_TRUE(shares_memory(a(slice(), slice(none, none, 2)), a.transpose()(2)));
  EXPECT_FALSE(shares_memory(a(slice(), slice(none, none, 2)), a(slice(), slice(1, none, 2)))) << "interleaved";
  EXPECT_FALSE(shares_memory(a(slice(0, 2)), a(slice(2, 4))));
  EXPECT_FALSE(shares_memory(a, a.copy()));
  EXPECT_FALSE(shares_memory(a, a(slice(0, 0))));
  EXPECT_FALSE(shares_memory(a, a.copy_to_host()));
}

TEST(SharesMemory, BetweenFacesAndViewsOfForeignMemory) {
  Doubles values(10);
  EXPECT_TRUE(shares_memory(values, host_view(values.data() + 9, {1})));
  EXPECT_FALSE(shares_memory(values, std::span(values).first(0)));
  EXPECT_FALSE(shares_memory(std::span(values).first(5), std::span(values).last(5)));
  const auto mapped_memory = mapped_array<double>({4}, {.device = device()});
  EXPECT_TRUE(shares_memory(mapped_memory.host(), mapped_memory.device()));
  EXPECT_TRUE(shares_memory(mapped_memory(slice(0, 2)), mapped_memory.device()(slice(1, 3))));
  EXPECT_FALSE(shares_memory(mapped_memory.host()(slice(0, 2)), mapped_memory.device()(slice(2, 4))));
  const auto scope = mapped({.device = device()}, values);
  EXPECT_TRUE(shares_memory(scope.get<0>()(3), values));
  EXPECT_FALSE(shares_memory(scope.get<0>()(3), std::span(values).first(3)));
}

TEST(MemoryInfo, OfADevice) {
  const MemoryInfo info = memory_info(device());
  EXPECT_GT(info.total, 0u);
  EXPECT_LE(info.free, info.total);
  EXPECT_EQ(memory_info().total, default_device().memory_info().total);
}

}  // namespace
}  // namespace ferry::test
