// Group G, and of group I what shows in values: page-locked memory as source and target of transfers.
#include <algorithm>
#include <cstring>

#include "support/test_device.hpp"
#include "values.hpp"

namespace ferry::test {
namespace {

TEST(FieldCases, C063_PinningATransposedArrayKeepsItsElements) {
  const auto matrix = arange<float>(25).reshape({5, 5});
  const auto c_order = pinned_array<float>({5, 5}, {.device = device()});
  const auto f_order = pinned_array<float>({5, 5}, {.order = Order::F, .device = device()});
  for (const auto& pinned : {c_order, f_order}) {
    pinned.assign(matrix.transpose());
    for (index_t j = 0; j < 5; ++j) EXPECT_EQ(pinned(0, j), static_cast<float>(5 * j));
    const auto there = to_device(pinned, {.device = device()});
    EXPECT_EQ(there.copy_to_host(), matrix.transpose());
  }
}

TEST(FieldCases, C067_ABlockingUploadIsOverWhenItReturns) {
  const index_t n = 8 << 20;  // 32 MiB
  if (device().memory_info().free < 64u << 20) GTEST_SKIP() << "the device has too little memory";
  const auto source = pinned_array<float>({n}, {.device = device()});
  std::fill_n(source.data(), n, 1.0f);
  const auto there = to_device(source, {.device = device()});
  std::fill_n(source.data(), n, 0.0f);
  const auto back = there.copy_to_host();
  EXPECT_EQ(std::count(back.data(), back.data() + n, 1.0f), n);
}

TEST(FieldCases, C070_ZeroBytesPinned) {
  const auto empty = pinned_array<double>({0}, {.device = device()});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_EQ(pinned_array<double>({0, 3}, {.device = device()}).shape(), (Shape{0, 3}));
  EXPECT_EQ(to_device(empty, {.device = device()}).copy_to_host().size(), 0);
}

// Vectorised copies must look at addresses, not at element sizes alone.
template <class T>
void copy_between_all_offsets(index_t n) {
  const auto values = arange<int>(n).astype<T>();
  const auto source = to_device(values, {.device = device()});
  for (const index_t from : {0, 1, 3, 5, 8, 15}) {
    for (const index_t to : {0, 1, 2, 5, 7, 16}) {
      const index_t length = n - std::max(from, to);
      const auto target = zeros<T>({n}, {.device = device()});
      target(slice(to, to + length)).copy_to_device(source(slice(from, from + length)));
      const auto back = target.copy_to_host();
      for (index_t i = 0; i < n; ++i) {
        const T expected = i >= to && i < to + length ? values(i - to + from) : T{};
        ASSERT_EQ(back(i), expected) << from << " to " << to << " at " << i;
      }
    }
  }
}
TEST(FieldCases, C086_CopiesFromAndToAnyAddress) {
  copy_between_all_offsets<double>(33);
  copy_between_all_offsets<float>(67);
  copy_between_all_offsets<std::int8_t>(100);
  copy_between_all_offsets<std::int16_t>(41);
  // Rows of odd length, so that each row starts at another alignment.
  const auto matrix = to_device(arange<int>(7 * 13).astype<std::int8_t>().reshape({7, 13}), {.device = device()});
  const auto inner = matrix(slice(1, none), slice(1, none)).transpose().copy(Order::C).copy_to_host();
  for (index_t i = 0; i < 12; ++i) {
    for (index_t j = 0; j < 6; ++j) ASSERT_EQ(inner(i, j), static_cast<std::int8_t>((j + 1) * 13 + i + 1));
  }
}

TEST(FieldCases, C086_FreshBlocksAreAligned) {
  for (const index_t bytes : {1, 3, 255, 257, 1000, 70'001}) {
    for (const Pool pool : {Pool::direct, Pool::driver, Pool::cached}) {
      const auto a = device_array<std::uint8_t>({bytes}, {.device = device(), .resource = &device().pool(pool)});
      const auto b = device_array<std::uint8_t>({bytes}, {.device = device(), .resource = &device().pool(pool)});
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 256, 0u);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 256, 0u);
    }
  }
}

}  // namespace
}  // namespace ferry::test
