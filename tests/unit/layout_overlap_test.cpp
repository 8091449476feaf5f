// Which arrays share bytes, decided exactly.
#include <chrono>
#include <ostream>
#include <set>
#include <vector>

#include "unit/layout_support.hpp"

namespace ferry::layouts {
static void PrintTo(Overlap verdict, std::ostream* out) {
  *out << (verdict == Overlap::no ? "no" : verdict == Overlap::yes ? "yes" : "undecided");
}
}  // namespace ferry::layouts

namespace ferry::test {
namespace {

using layouts::Overlap;
using layouts::overlap;
using layouts::self_overlap;

// The first byte of every element, found by walking the indices.
std::vector<index_t> element_bytes(const Layout& layout) {
  std::vector<index_t> bytes{layout.offset()};
  for (std::size_t axis = 0; axis < layout.ndim(); ++axis) {
    std::vector<index_t> longer;
    for (const index_t byte : bytes) {
      for (index_t i = 0; i < layout.shape()[axis]; ++i) longer.push_back(byte + i * layout.strides()[axis]);
    }
    bytes = std::move(longer);
  }
  return bytes;
}

std::multiset<index_t> all_bytes(const Layout& layout) {
  std::multiset<index_t> bytes;
  for (const index_t first : element_bytes(layout)) {
    for (index_t i = 0; i < layout.itemsize(); ++i) bytes.insert(first + i);
  }
  return bytes;
}

TEST(LayoutOverlap, ApartOrTheSame) {
  const Layout flat = Layout::contiguous({10}, 8);
  EXPECT_EQ(overlap(flat, flat), Overlap::yes);
  EXPECT_EQ(overlap(flat, flat.with_offset(80)), Overlap::no);
  EXPECT_EQ(overlap(flat, flat.with_offset(79)), Overlap::yes);
  EXPECT_EQ(overlap(flat.with_offset(-80), flat), Overlap::no);
}

TEST(LayoutOverlap, InterleavedElements) {
  const Layout even = Layout::strided({5}, {16}, 8), odd = Layout::strided({5}, {16}, 8, 8);
  EXPECT_EQ(overlap(even, odd), Overlap::no);
  EXPECT_EQ(overlap(even, odd.with_offset(7)), Overlap::yes);  // one byte of each pair
  EXPECT_EQ(overlap(even, odd.with_offset(9)), Overlap::yes);
  EXPECT_EQ(overlap(Layout::strided({5}, {16}, 4), Layout::strided({5}, {16}, 4, 9)), Overlap::no);
  EXPECT_EQ(overlap(layouts::flip(even, 0), odd), Overlap::no);
  EXPECT_EQ(overlap(layouts::flip(even, 0), even), Overlap::yes);
}

TEST(LayoutOverlap, FieldsOfTheSameRecords) {
  const Layout records = Layout::contiguous({4, 3}, 24);
  EXPECT_EQ(overlap(layouts::field(records, 0, 8), layouts::field(records, 8, 8)), Overlap::no);
  EXPECT_EQ(overlap(layouts::field(records, 0, 8), layouts::field(records, 7, 2)), Overlap::yes);
  EXPECT_EQ(overlap(layouts::field(records, 0, 8), records), Overlap::yes);
}

TEST(LayoutOverlap, BlocksOfOneMatrix) {
  const Layout matrix = Layout::contiguous({6, 8}, 8);
  const Layout left = at(matrix, {slice(), slice(0, 4)}), right = at(matrix, {slice(), slice(4, 8)});
  EXPECT_EQ(overlap(left, right), Overlap::no);
  EXPECT_EQ(overlap(left, at(matrix, {slice(), slice(3, 8)})), Overlap::yes);
  EXPECT_EQ(overlap(at(matrix, {slice(0, 3)}), at(matrix, {slice(3, 6)})), Overlap::no);
  EXPECT_EQ(overlap(at(matrix, {0}), matrix), Overlap::yes);
  EXPECT_EQ(overlap(matrix, layouts::transpose(matrix)), Overlap::yes);
}

// Column blocks have the same row stride twice; searched as two terms, a million rows exceeded the work limit.
TEST(LayoutOverlap, BlocksOfMatricesWithManyRows) {
  const Layout matrix = Layout::contiguous({1'000'000, 2, 16}, 8);
  const Layout left = at(matrix, {ellipsis, slice(0, 8)}), right = at(matrix, {ellipsis, slice(8, 16)});
  EXPECT_EQ(overlap(left, right), Overlap::no);
  EXPECT_EQ(overlap(left, layouts::flip(right, 0)), Overlap::no);
  EXPECT_EQ(overlap(left, at(matrix, {ellipsis, slice(7, 16)})), Overlap::yes);
  EXPECT_EQ(overlap(layouts::transpose(left), right), Overlap::no);
}

TEST(LayoutOverlap, NothingOverlapsEmptyArrays) {
  const Layout flat = Layout::contiguous({10}, 8);
  EXPECT_EQ(overlap(flat, Layout::contiguous({0}, 8).with_offset(16)), Overlap::no);
  EXPECT_EQ(overlap(Layout::strided({0, 3}, {5, 1}, 8), flat), Overlap::no);
  EXPECT_EQ(overlap(flat, Layout::strided({3}, {0}, 0, 4)), Overlap::no) << "elements without bytes";
  EXPECT_EQ(self_overlap(Layout::strided({0, 3}, {0, 0}, 8)), Overlap::no);
  EXPECT_EQ(self_overlap(Layout::contiguous({3}, 0)), Overlap::no);
}

TEST(LayoutOverlap, SingleElements) {
  EXPECT_EQ(overlap(Layout::contiguous({}, 8), Layout::contiguous({}, 1).with_offset(7)), Overlap::yes);
  EXPECT_EQ(overlap(Layout::contiguous({}, 8), Layout::contiguous({}, 1).with_offset(8)), Overlap::no);
  EXPECT_EQ(overlap(Layout::strided({3}, {16}, 8), Layout::contiguous({}, 8).with_offset(8)), Overlap::no);
}

TEST(LayoutSelfOverlap, NestedAxesDoNot) {
  for (const Order order : {Order::C, Order::F}) {
    EXPECT_EQ(self_overlap(Layout::contiguous({3, 4, 5}, 8, order)), Overlap::no);
  }
  EXPECT_EQ(self_overlap(Layout::strided({3, 4}, {-100, 9}, 8, 200)), Overlap::no);
  EXPECT_EQ(self_overlap(Layout::strided({1, 4}, {0, 8}, 8)), Overlap::no);
  EXPECT_EQ(self_overlap(Layout()), Overlap::no);
}

TEST(LayoutSelfOverlap, WindowsAndRepeats) {
  EXPECT_EQ(self_overlap(Layout::strided({3, 4}, {16, 8}, 8)), Overlap::yes);
  EXPECT_EQ(self_overlap(Layout::strided({10}, {0}, 4)), Overlap::yes);
  EXPECT_EQ(self_overlap(Layout::strided({3}, {7}, 8)), Overlap::yes);
  EXPECT_EQ(self_overlap(Layout::strided({2, 2}, {8, -8}, 8, 8)), Overlap::yes);
}

// Neither axis steps over the whole of the other, and still no element meets another.
TEST(LayoutSelfOverlap, EntangledAxes) {
  EXPECT_EQ(self_overlap(Layout::strided({2, 3}, {24, 16}, 8)), Overlap::no);
  EXPECT_EQ(self_overlap(Layout::strided({3, 4}, {24, 16}, 8)), Overlap::yes);  // 2*24 = 3*16
  EXPECT_EQ(self_overlap(Layout::strided({2, 3}, {24, 16}, 9)), Overlap::yes);
  EXPECT_EQ(self_overlap(Layout::strided({2, 2, 2}, {16, 24, 40}, 8)), Overlap::yes);  // 16 + 24 = 40
  EXPECT_EQ(self_overlap(Layout::strided({2, 2, 2}, {16, 24, 48}, 8)), Overlap::no);
}

TEST(LayoutOverlap, EverySmallPairAgreesWithTheBytes) {
  std::vector<Layout> some;
  for (const index_t n : {1, 2, 3}) {
    for (const index_t m : {2, 4}) {
      for (const index_t s : {-7, -4, 0, 3, 5, 12}) {
        for (const index_t t : {-6, -2, 1, 4, 9}) {
          for (const index_t itemsize : {1, 3}) some.push_back(Layout::strided({n, m}, {s, t}, itemsize, 40));
        }
      }
    }
  }
  std::vector<std::set<index_t>> bytes;
  for (const Layout& layout : some) {
    const std::multiset<index_t> counted = all_bytes(layout);
    bytes.emplace_back(counted.begin(), counted.end());
    const bool meets_itself = bytes.back().size() != counted.size();
    ASSERT_EQ(self_overlap(layout), meets_itself ? Overlap::yes : Overlap::no)
        << layout.to_string() << ", item size " << layout.itemsize();
  }
  for (std::size_t i = 0; i < some.size(); ++i) {
    for (std::size_t j = i % 3; j < some.size(); j += 3) {
      for (const index_t shift : {0, 1, 2, 11}) {
        bool shared = false;
        for (const index_t byte : bytes[i]) shared = shared || bytes[j].count(byte - shift) != 0;
        const Layout other = some[j].with_offset(some[j].offset() + shift);
        ASSERT_EQ(overlap(some[i], other), shared ? Overlap::yes : Overlap::no)
            << some[i].to_string() << ", item size " << some[i].itemsize() << " against " << other.to_string()
            << ", item size " << other.itemsize() << ", " << shift << " bytes apart";
      }
    }
  }
}

// Problems without structure: the answer may be that it is not known, but it must come soon.
TEST(LayoutOverlap, TheWorkIsLimited) {
  const auto start = std::chrono::steady_clock::now();
  const Layout many = Layout::strided({1 << 28}, {1'000'000'007}, 1);
  const Layout other = Layout::strided({1 << 28}, {1'000'000'006}, 1, 123'456'788);
  EXPECT_NE(overlap(many, other), Overlap::no);  // 123456788 steps in, they do
  const Layout three = Layout::strided({100'000, 1000, 1000}, {30'000'017, 20'000'003, 10'000'019}, 1);
  overlap(three, Layout::strided({1000, 1000, 1000}, {29'999'999, 19'999'999, 9'999'991}, 1, 7777));
  self_overlap(three);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

// Sums of such spans do not fit 63 bits: "no" would be a guess.
TEST(LayoutOverlap, SpansNearTheLimit) {
  const index_t quarter = index_t{1} << 62;
  EXPECT_NE(overlap(Layout::strided({2}, {quarter}, 8, -quarter), Layout::strided({2}, {quarter + 8}, 8)), Overlap::no);
  EXPECT_EQ(overlap(Layout::strided({2}, {quarter}, 8), Layout::strided({2}, {8}, 8, -16)), Overlap::no);
  EXPECT_EQ(self_overlap(Layout::strided({2}, {quarter}, 8)), Overlap::no);
}

}  // namespace
}  // namespace ferry::test
