// The same bytes as other elements: view_as and field.
#include "unit/layout_support.hpp"

namespace ferry::test {
namespace {

using layouts::field;
using layouts::view_as;

TEST(LayoutViewAs, SameSizeIsAnyLayout) {
  const Layout odd = Layout::strided({3, 2}, {-17, 0}, 8, 40);
  EXPECT_EQ(view_as(odd, 8), odd);
  EXPECT_EQ(view_as(Layout::contiguous({}, 8), 8), Layout::contiguous({}, 8));
}

TEST(LayoutViewAs, TheLastAxisChangesItsLength) {
  const Layout narrow = view_as(Layout::contiguous({3, 4}, 8).with_offset(16), 4);
  expect_layout(narrow, {3, 8}, {32, 4}, 16);
  EXPECT_EQ(narrow.itemsize(), 4);
  expect_layout(view_as(Layout::contiguous({3, 4}, 2), 8), {3, 1}, {8, 8});
  expect_layout(view_as(Layout::contiguous({6}, 4), 3), {8}, {3});
}

TEST(LayoutViewAs, OnlyTheLastAxisMustBeDense) {
  expect_layout(view_as(Layout::strided({3, 4}, {-100, 8}, 8, 200), 16), {3, 2}, {-100, 16}, 200);
  expect_layout(view_as(Layout::strided({3, 1}, {9, 77}, 8), 4), {3, 2}, {9, 4});  // one element is dense
  expect_names(message_of<LayoutError>([] {
                 view_as(Layout::strided({3, 4}, {64, 16}, 8), 4);
               }),
               {"view_as", "8 bytes", "4 bytes", "(3, 4)", "(64, 16)"});
  message_of<LayoutError>([] { view_as(Layout::strided({4}, {-8}, 8, 24), 4); });
  message_of<LayoutError>([] { view_as(Layout::contiguous({3, 4}, 8, Order::F), 4); });
}

TEST(LayoutViewAs, EmptyArrays) {
  EXPECT_EQ(view_as(Layout::contiguous({3, 0}, 8), 4).shape(), (Shape{3, 0}));
  EXPECT_EQ(view_as(Layout::strided({0, 3}, {5, -6}, 8), 4).shape(), (Shape{0, 6}));
}

TEST(LayoutViewAs, BytesThatDoNotDivide) {
  expect_names(message_of<LayoutError>([] { view_as(Layout::contiguous({3}, 4), 8); }), {"4 bytes", "8 bytes", "(3,)"});
  message_of<LayoutError>([] { view_as(Layout::contiguous({0, 3}, 4), 8); });
}

TEST(LayoutViewAs, NoAxisAndNoBytes) {
  message_of<LayoutError>([] { view_as(Layout::contiguous({}, 8), 4); });
  message_of<LayoutError>([] { view_as(Layout::contiguous({4}, 8), 0); });
  message_of<LayoutError>([] { view_as(Layout::contiguous({4}, 8), -4); });
}

TEST(LayoutField, IsAPartOfEachElement) {
  const Layout records = Layout::contiguous({3, 2}, 24).with_offset(48);
  const Layout member = field(records, 8, 4);
  expect_layout(member, {3, 2}, {48, 24}, 56);
  EXPECT_EQ(member.itemsize(), 4);
  expect_layout(field(Layout::contiguous({3}, 9), 1, 8), {3}, {9}, 1);  // packed
  expect_layout(field(Layout::strided({3}, {-24}, 24, 48), 16, 8), {3}, {-24}, 64);
  expect_layout(field(Layout::contiguous({}, 24), 16, 8), {}, {}, 16);
  expect_layout(field(Layout::contiguous({2}, 8), 0, 8), {2}, {8});
}

TEST(LayoutField, ArrayMembersAddTheirAxes) {
  expect_layout(field(Layout::contiguous({5}, 32), 8, 4, {2, 3}), {5, 2, 3}, {32, 12, 4}, 8);
  expect_layout(field(Layout::contiguous({}, 32), 8, 4, Shape{6}), {6}, {4}, 8);
  EXPECT_TRUE(field(Layout::contiguous({5}, 32), 32, 4, Shape{0}).empty());
  EXPECT_EQ(field(Layout::contiguous({0, 3}, 32), 8, 4, Shape{6}).shape(), (Shape{0, 3, 6}));
}

TEST(LayoutField, MustStayInsideTheElement) {
  const Layout records = Layout::contiguous({3}, 24);
  expect_names(message_of<LayoutError>([&] { field(records, 17, 8); }), {"field", "8 bytes", "17", "24 bytes"});
  message_of<LayoutError>([&] { field(records, -1, 8); });
  message_of<LayoutError>([&] { field(records, 0, 25); });
  message_of<LayoutError>([&] { field(records, INT64_MAX, 8); });
  message_of<LayoutError>([&] { field(records, 8, 4, Shape{5}); });
  message_of<ShapeError>([&] { field(records, 0, -8); });
  message_of<ShapeError>([&] { field(records, 0, 8, Shape{-1}); });
  message_of<ShapeError>([&] { field(records, 0, 8, {INT64_MAX, 2}); });
}

TEST(LayoutField, AtMost64Axes) {
  const Layout wide = Layout::contiguous(Shape::filled(64, 1), 8);
  EXPECT_EQ(field(wide, 0, 4).ndim(), 64U);
  message_of<ShapeError>([&] { field(wide, 0, 4, Shape{2}); });
}

}  // namespace
}  // namespace ferry::test
