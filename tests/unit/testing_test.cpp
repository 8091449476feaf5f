// ferry/testing.hpp: what it accepts, and what it says of what it does not.
#include <gtest/gtest-spi.h>

#include <ferry/testing.hpp>
#include <optional>
#include <vector>

#include "ferry/ferry.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

struct Point {
  float x, y;
};
FERRY_RECORD(Point, x, y);

std::string message(const ::testing::AssertionResult& result) {
  EXPECT_FALSE(result);
  return result.message();
}

TEST(Testing, EqualArraysOfAllKinds) {
  const auto numbers = arange(6).reshape(2, 3);
  const auto on_device = to_device(numbers, {.device = device()});
  const auto in_mapped = mapped_array<index_t>({2, 3}, {.device = device()});
  in_mapped.assign(numbers);
  expect_equal(on_device, numbers);
  expect_equal(in_mapped, on_device);
  const index_t c_array[2][3] = {{0, 1, 2}, {3, 4, 5}};
  expect_equal(on_device.transpose().transpose(), c_array);
  expect_equal(on_device.ravel(), std::vector<index_t>{0, 1, 2, 3, 4, 5});
  EXPECT_TRUE(arrays_equal(on_device, c_array));
}

TEST(Testing, DifferencesAreNamed) {
  const std::vector<double> a{1, 2, 3, 4};
  const std::vector<double> b{1, 2.5, 3, -4};
  EXPECT_EQ(
      message(arrays_equal(to_device(a, {.device = device()}).reshape(2, 2), host_view(b.data(), {2, 2}))),
      "2 of 4 elements differ between a float64 array of shape (2, 2), strides (16, 8) bytes and a float64 array of "
      "shape (2, 2), strides (16, 8) bytes:\n  at (0, 1): 2.0 and 2.5\n  at (1, 1): 4.0 and -4.0");
}

TEST(Testing, ManyDifferencesAreCutShort) {
  const std::string text = message(arrays_equal(arange(100), arange(100).flip(0)));
  EXPECT_NE(text.find("\n  at (9,): 9 and 90\n  and 90 more"), std::string::npos) << text;
}

TEST(Testing, ShapesAndTypes) {
  EXPECT_EQ(
      message(arrays_equal(arange(3), arange(3).reshape(3, 1))),
      "the shapes differ: a int64 array of shape (3,), strides (8,) bytes and a int64 array of shape (3, 1), strides "
      "(8, 8) bytes");
  EXPECT_EQ(message(arrays_equal(arange<float>(2), arange<double>(2))).rfind("the dtypes differ: a float32", 0), 0u);
  EXPECT_EQ(message(arrays_equal(arange<float>(2), arange<int>(3))).rfind("the dtypes and shapes differ: ", 0), 0u);
}

TEST(Testing, RecordsAndScalars) {
  const std::vector<Point> a{{1, 2}}, b{{1, 3}};
  const std::string text = message(arrays_equal(to_device(a, {.device = device()}), b));
  EXPECT_NE(text.find("\n  at (0,): (1., 2.) and (1., 3.)"), std::string::npos) << text;
  EXPECT_NE(message(arrays_equal(to_device(1, {.device = device()}), to_device(2, {.device = device()})))
                .find("\n  at (): 1 and 2"),
            std::string::npos);
}

TEST(Testing, CloseArrays) {
  const auto a = to_device(std::vector<float>{1, 1000}, {.device = device()});
  expect_close(a, std::vector<float>{1.000001F, 999.999F});
  expect_close(a, std::vector<float>{1.5F, 999.5F}, {.relative = 0, .absolute = 0.5});
  EXPECT_FALSE(arrays_close(a, std::vector<float>{1.1F, 1000}));
  EXPECT_FALSE(arrays_close(a, std::vector<float>{1})) << "shapes are not broadcast";
}

TEST(Testing, FailuresAreThoseOfTheCallingLine) {
  ::testing::TestPartResultArray failures;
  int line = 0;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(&failures);
    expect_equal(arange(2), arange(3)), line = __LINE__;
    expect_close(arange<float>(2), arange<float>(3));
  }
  ASSERT_EQ(failures.size(), 2);
  EXPECT_STREQ(failures.GetTestPartResult(0).file_name(), __FILE__);
  EXPECT_EQ(failures.GetTestPartResult(0).line_number(), line);
  EXPECT_TRUE(failures.GetTestPartResult(1).nonfatally_failed());
}

// The check itself, driven as GoogleTest drives it.
TEST(Testing, LeaksAreFound) {
  std::optional<NDArray<float>> kept;
  const auto after = [&](const auto& test) {
    ::testing::TestPartResultArray failures;
    detail::LeakListener listener;
    ::testing::TestEventListener& events = listener;
    const ::testing::TestInfo& info = *::testing::UnitTest::GetInstance()->current_test_info();
    {
      const ::testing::ScopedFakeTestPartResultReporter reporter(&failures);
      events.OnTestStart(info);
      test();
      events.OnTestEnd(info);
    }
    return failures.size() == 0 ? std::string() : std::string(failures.GetTestPartResult(0).message());
  };
  EXPECT_EQ(after([] { device_array<float>({3}, {.device = device()}); }), "");
  const std::string found = after([&] { kept = device_array<float>({3}, {.device = device(), .label = "forgotten"}); });
  EXPECT_NE(
      found.find("the test has left memory behind:\n  forgotten: 1 block of device memory more than before, 12 bytes"),
      std::string::npos)
      << found;
  EXPECT_EQ(after([&] { kept.reset(); }), "") << "less than before is no leak";
  EXPECT_NE(after([&] { kept = device_array<float>({3}, {.device = device()}); }).find("(no label)"),
            std::string::npos);
}

}  // namespace
}  // namespace ferry::test
