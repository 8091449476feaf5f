// Group D, the parts that need little memory: axes and sizes beyond what 16 and 32 bits hold.
#include <algorithm>
#include <array>

#include "values.hpp"

namespace ferry::test {
namespace {

using Permutation = std::array<index_t, 3>;

// The permuted array's elements, read from an array of 0, 1, 2, … by arithmetic alone.
std::vector<std::int32_t> permuted_iota(const Shape& shape, const Permutation& axes) {
  const index_t strides[3] = {shape[1] * shape[2], shape[2], 1};
  const auto extent = [&](std::size_t i) { return shape[static_cast<std::size_t>(axes[i])]; };
  const auto stride = [&](std::size_t i) { return strides[axes[i]]; };
  std::vector<std::int32_t> expected;
  for (index_t i = 0; i < extent(0); ++i) {
    for (index_t j = 0; j < extent(1); ++j) {
      for (index_t k = 0; k < extent(2); ++k) {
        expected.push_back(static_cast<std::int32_t>(i * stride(0) + j * stride(1) + k * stride(2)));
      }
    }
  }
  return expected;
}

class LargeAxes {
 public:
  explicit LargeAxes(const Shape& shape) : host_(numbers(shape)), array_(iota<std::int32_t>(shape)) {}

  void check(const Permutation& axes) const {
    SCOPED_TRACE(array_.shape().to_string() + " as " + Axes(axes).to_string());
    const auto expected = permuted_iota(array_.shape(), axes);
    const auto view = array_.permute(axes);
    EXPECT_EQ(values(view), expected) << "to the host";
    EXPECT_EQ(values(view.copy(Order::C)), expected) << "on the device";
    EXPECT_EQ(values(to_device(host_.permute(axes), {.order = Order::C, .device = device()})), expected) << "from host";
    const auto scattered = device_array_like(array_);
    scattered.permute(axes).copy_to_device(view.copy(Order::C));
    EXPECT_EQ(values(scattered), values(array_)) << "into a permuted view";
  }

 private:
  static HostArray<std::int32_t> numbers(const Shape& shape) {
    return arange<std::int32_t>(Layout::contiguous(shape, 4).size()).reshape(shape);
  }
  HostArray<std::int32_t> host_;
  NDArray<std::int32_t> array_;
};

void check_every_permutation(const Shape& shape) {
  const LargeAxes arrays(shape);
  Permutation axes{0, 1, 2};
  do {
    arrays.check(axes);
  } while (std::next_permutation(axes.begin(), axes.end()));
}

TEST(FieldCases, C037_LastAxisButOneOf70000) {
  check_every_permutation({1, 70'000, 4});
}
TEST(FieldCases, C037_FirstAxisOf70000) {
  check_every_permutation({70'000, 1, 4});
}
TEST(FieldCases, C037_LastAxisOf70000) {
  check_every_permutation({4, 1, 70'000});
}
TEST(FieldCases, C037_MiddleAxisOf65536) {
  check_every_permutation({2, 65'536, 2});
}
TEST(FieldCases, C037_MiddleAxisOf65537) {
  check_every_permutation({2, 65'537, 2});
}

// Sizes are layout arithmetic, which needs no memory to be tested.
TEST(FieldCases, C035_SizesBeyond32Bits) {
  const auto four_gib = Layout::contiguous({1LL << 32}, 1);
  EXPECT_EQ(four_gib.size(), 4'294'967'296);
  EXPECT_EQ(four_gib.nbytes(), 4'294'967'296);
  EXPECT_EQ(layouts::infer_shape(four_gib, Shape{-1}), (Shape{1LL << 32}));
  EXPECT_EQ(layouts::infer_shape(four_gib, {65'536, -1}), (Shape{65'536, 65'536}));
  EXPECT_EQ(layouts::array_split(four_gib, 2, 0, 1).size(), 1LL << 31);
  EXPECT_EQ(layouts::array_split(four_gib, 2, 0, 1).offset(), 1LL << 31);
  EXPECT_EQ(Layout::contiguous({1LL << 31}, 1).size(), 2'147'483'648);
  EXPECT_EQ(Layout::contiguous({1LL << 31}, 8).nbytes(), 1LL << 34);
  EXPECT_EQ(Layout::contiguous({1291, 1291, 1291}, 1).size(), 2'151'685'171);
}

// A repeated element makes a source of more than 2^32 elements without the memory for them.
TEST(FieldCases, C035_RepeatedElementHasAllItsElements) {
  const auto repeated = full<std::uint8_t>({1}, 7, {.device = device()}).broadcast_to({65'537, 65'537});
  EXPECT_EQ(repeated.size(), 4'295'098'369);
  EXPECT_EQ(repeated.nbytes(), 4'295'098'369);
  EXPECT_EQ(repeated.item(65'536, 65'536), 7);
  EXPECT_EQ(values(repeated(slice(65'535, none), slice(65'535, none))), (std::vector<std::uint8_t>{7, 7, 7, 7}));
}

}  // namespace
}  // namespace ferry::test
