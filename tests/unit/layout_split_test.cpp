// The three ways to split an axis.
#include <ostream>
#include <vector>

#include "unit/layout_support.hpp"

namespace ferry::test {
namespace {

struct Part {
  index_t begin, count;
  friend bool operator==(const Part&, const Part&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Part& p) { return out << p.begin << "+" << p.count; }
};
using Parts = std::vector<Part>;

Layout flat(index_t n) {
  return Layout::contiguous({n}, 1);
}

Part part_of(const Layout& layout) {
  return {layout.offset(), layout.shape()[0]};
}

Parts sections(index_t n, index_t section) {
  Parts parts;
  const std::size_t count = layouts::section_count(flat(n), section, 0);
  for (std::size_t i = 0; i < count; ++i) parts.push_back(part_of(layouts::section(flat(n), section, 0, i)));
  return parts;
}

Parts even_parts(index_t n, index_t count) {
  Parts parts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    parts.push_back(part_of(layouts::array_split(flat(n), count, 0, i)));
  }
  return parts;
}

std::vector<index_t> lengths_at(index_t n, const Dims& at, Parts* parts = nullptr) {
  std::vector<index_t> lengths;
  for (std::size_t i = 0; i <= at.size(); ++i) {
    const Part part = part_of(layouts::split_at(flat(n), at, 0, i));
    lengths.push_back(part.count);
    if (parts != nullptr) parts->push_back(part);
  }
  return lengths;
}

TEST(LayoutSection, TheLastPartMayBeSmaller) {
  EXPECT_EQ(sections(10, 4), (Parts{{0, 4}, {4, 4}, {8, 2}}));
  EXPECT_EQ(sections(8, 4), (Parts{{0, 4}, {4, 4}}));
  EXPECT_EQ(sections(3, 5), (Parts{{0, 3}}));
  EXPECT_EQ(sections(3, INT64_MAX), (Parts{{0, 3}}));
  EXPECT_EQ(sections(0, 4), Parts{});
  EXPECT_EQ(layouts::section_count(flat(INT64_MAX), INT64_MAX - 1, 0), 2U);
}

TEST(LayoutSection, AlongAnyAxis) {
  const Layout matrix = Layout::contiguous({3, 7}, 8).with_offset(8);
  expect_layout(layouts::section(matrix, 3, 1, 2), {3, 1}, {56, 8}, 56);
  expect_layout(layouts::section(matrix, 2, -2, 1), {1, 7}, {56, 8}, 120);
  expect_layout(layouts::section(layouts::flip(matrix, 1), 5, -1, 1), {3, 2}, {56, -8}, 16);
}

TEST(LayoutSection, BadInput) {
  const Layout matrix = Layout::contiguous({3, 7}, 8);
  for (const index_t section : {index_t{0}, index_t{-1}, INT64_MIN}) {
    expect_names(message_of<ShapeError>([&] { layouts::section_count(matrix, section, 0); }), {"split", "(3, 7)"});
    message_of<ShapeError>([&] { layouts::section(matrix, section, 0, 0); });
  }
  expect_names(message_of<ShapeError>([&] { layouts::section_count(matrix, 1, 2); }), {"axis 2", "(3, 7)"});
  message_of<ShapeError>([&] { layouts::section(matrix, 1, -3, 0); });
  message_of<ShapeError>([] { layouts::section_count(Layout(), 1, 0); });
}

TEST(LayoutArraySplit, TheFirstPartsAreOneLonger) {
  EXPECT_EQ(even_parts(7, 3), (Parts{{0, 3}, {3, 2}, {5, 2}}));
  EXPECT_EQ(even_parts(6, 3), (Parts{{0, 2}, {2, 2}, {4, 2}}));
  EXPECT_EQ(even_parts(5, 1), (Parts{{0, 5}}));
  const Parts more_parts_than_elements = even_parts(4, 7);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(more_parts_than_elements[i].count, i < 4 ? 1 : 0) << i;
  for (const Part& part : even_parts(0, 3)) EXPECT_EQ(part.count, 0);
}

TEST(LayoutArraySplit, BadInput) {
  expect_names(message_of<ShapeError>([] { layouts::array_split(flat(8), 0, 0, 0); }), {"array_split", "(8,)"});
  message_of<ShapeError>([] { layouts::array_split(flat(8), -2, 0, 0); });
  message_of<ShapeError>([] { layouts::array_split(flat(8), 2, 1, 0); });
  message_of<ShapeError>([] { layouts::array_split(Layout(), 2, 0, 0); });
}

TEST(LayoutSplitAt, FollowsTheSliceRules) {
  Parts parts;
  EXPECT_EQ(lengths_at(5, {2, 9}, &parts), (std::vector<index_t>{2, 3, 0}));
  EXPECT_EQ(parts[1], (Part{2, 3}));
  parts.clear();
  EXPECT_EQ(lengths_at(5, {3, 1}, &parts), (std::vector<index_t>{3, 0, 4}));
  EXPECT_EQ(parts[2], (Part{1, 4}));
  EXPECT_EQ(lengths_at(5, Dims{-2}), (std::vector<index_t>{3, 2}));
  EXPECT_EQ(lengths_at(5, Dims{}), (std::vector<index_t>{5}));
  EXPECT_EQ(lengths_at(5, {-9, 0, 5}), (std::vector<index_t>{0, 0, 5, 0}));
  EXPECT_EQ(lengths_at(5, {INT64_MIN, INT64_MAX}), (std::vector<index_t>{0, 5, 0}));
}

TEST(LayoutSplitAt, EmptyAxesAndArrays) {
  EXPECT_EQ(lengths_at(0, {0, 3}), (std::vector<index_t>{0, 0, 0}));
  const Layout empty = Layout::strided({0, 3}, {1, INT64_MAX}, 8);
  EXPECT_EQ(layouts::split_at(empty, Dims{1}, 0, 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(layouts::split_at(empty, Dims{1}, 0, 1).shape(), (Shape{0, 3}));
  expect_layout(layouts::split_at(empty, Dims{2}, 1, 1), {0, 1}, {1, INT64_MAX});
}

TEST(LayoutSplitAt, AnEmptyPartStaysInsideTheArray) {
  EXPECT_EQ(layouts::split_at(flat(5).with_offset(80), Dims{9}, 0, 1).byte_range(), (ByteRange{80, 80}));
}

TEST(LayoutSplitAt, AxisOutOfRange) {
  expect_names(message_of<ShapeError>([] { layouts::split_at(flat(8), Dims{1}, 1, 0); }), {"split_at", "axis 1"});
  message_of<ShapeError>([] { layouts::split_at(Layout(), Dims{1}, 0, 0); });
}

}  // namespace
}  // namespace ferry::test
