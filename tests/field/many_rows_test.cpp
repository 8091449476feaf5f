// Group A, C013: more rows than some drivers' two-dimensional copies take.
#include <algorithm>

#include "values.hpp"

namespace ferry::test {
namespace {

constexpr index_t kRows = 2'000'000;

// Row i holds 3i, 3i+1, 3i+2, reduced so that a float holds them exactly and neighbouring rows differ.
float expected_at(index_t row, index_t column) {
  return static_cast<float>((3 * row + column) % 8'388'593);
}

HostArray<float> rows_on_host() {
  const auto host = host_array<float>({kRows, 3});
  for (index_t i = 0; i < kRows; ++i) {
    for (index_t j = 0; j < 3; ++j) host.data()[3 * i + j] = expected_at(i, j);
  }
  return host;
}

void expect_rows(const HostArray<float>& host) {
  ASSERT_EQ(host.shape(), (Shape{kRows, 3}));
  index_t wrong = 0;
  const DeviceView<float, 2> at(host.data(), host.shape().data(), host.strides().data());
  for (index_t i = 0; i < kRows; ++i) {
    for (index_t j = 0; j < 3; ++j) wrong += at(i, j) != expected_at(i, j) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0);
}

void expect_no_error_left() {
  device().synchronize();
  EXPECT_EQ(values(iota<std::int64_t>({3})), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(FieldCases, C013_TwoMillionPackedRows) {
  const auto array = to_device(rows_on_host(), {.device = device()});
  EXPECT_EQ(array.nbytes(), 24'000'000);
  expect_rows(array.copy_to_host());
  expect_rows(array.copy().copy_to_host());
  expect_no_error_left();
}

// The arrays are freed as soon as they have served: the simulated device is small.
TEST(FieldCases, C013_TwoMillionPitchedRows) {
  const auto padded = full<float>({kRows, 4}, -1.0F, {.device = device()});
  const auto pitched = padded(slice(), slice(3));
  pitched.copy_to_device(rows_on_host());
  expect_rows(pitched.copy_to_host());
  expect_rows(pitched.copy().copy_to_host());
  const auto gap = padded(slice(), 3).copy_to_host();
  EXPECT_EQ(std::count(gap.data(), gap.data() + kRows, -1.0F), kRows);
  expect_no_error_left();
}

TEST(FieldCases, C013_PitchedOnTheHostSide) {
  const auto padded = host_array<float>({kRows, 4});
  padded.fill(-1.0F);
  const auto pitched = padded(slice(), slice(3));
  const auto array = to_device(rows_on_host(), {.device = device()});
  array.copy_to_host(pitched);
  expect_rows(pitched);
  EXPECT_EQ(padded(1, 3), -1.0F);
  EXPECT_EQ(padded(kRows - 1, 3), -1.0F);
  array.fill(0);
  array.copy_to_device(pitched);
  expect_rows(array.copy_to_host());
}

}  // namespace
}  // namespace ferry::test
