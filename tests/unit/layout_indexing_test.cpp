// Basic indexing: integers, slices, newaxis and ellipsis.
#include <ostream>
#include <vector>

#include "unit/layout_support.hpp"

namespace ferry::test {
namespace {

const Layout cube = Layout::contiguous({3, 4, 5}, 8);  // strides (160, 40, 8)

struct Elements {
  index_t first, count, step;
  friend bool operator==(const Elements&, const Elements&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Elements& e) {
    return out << "first " << e.first << ", count " << e.count << ", step " << e.step;
  }
};

// What a slice takes of an axis of n one-byte elements.
Elements taken(index_t n, const Slice& bounds) {
  const Layout part = at(Layout::contiguous({n}, 1), {bounds});
  return {part.offset(), part.shape()[0], part.strides()[0]};
}

TEST(LayoutIndexing, IntegersDropTheirAxis) {
  expect_layout(at(cube, {1}), {4, 5}, {40, 8}, 160);
  expect_layout(at(cube, {-1}), {4, 5}, {40, 8}, 320);
  expect_layout(at(cube, {2, 3, 4}), {}, {}, 472);
  expect_layout(at(cube, {-3, -4, -5}), {}, {}, 0);
  expect_layout(at(cube, {slice(), 2}), {3, 5}, {160, 8}, 80);
}

TEST(LayoutIndexing, NoEntriesIsTheWhole) {
  EXPECT_EQ(at(cube, {}), cube);
  EXPECT_EQ(at(cube, {ellipsis}), cube);
  EXPECT_EQ(at(Layout(), {}), Layout());
  EXPECT_EQ(at(Layout(), {ellipsis}), Layout());
}

TEST(LayoutIndexing, SlicesRoundTheirLengthUp) {
  EXPECT_EQ(taken(4, slice(none, none, 3)), (Elements{0, 2, 3}));
  EXPECT_EQ(taken(10, slice(1, 8, 3)), (Elements{1, 3, 3}));
  EXPECT_EQ(taken(10, slice(1, 7, 3)), (Elements{1, 2, 3}));
  EXPECT_EQ(taken(4, slice(none, none, -3)), (Elements{3, 2, -3}));
}

TEST(LayoutIndexing, SlicesCountFromTheEnd) {
  EXPECT_EQ(taken(5, slice(-2, none)), (Elements{3, 2, 1}));
  EXPECT_EQ(taken(5, slice(-2)), (Elements{0, 3, 1}));
  EXPECT_EQ(taken(5, slice(-4, -1)), (Elements{1, 3, 1}));
  EXPECT_EQ(taken(5, slice(-1, -4, -2)), (Elements{4, 2, -2}));
}

TEST(LayoutIndexing, SlicesClamp) {
  EXPECT_EQ(taken(5, slice(10, 2)).count, 0);
  EXPECT_EQ(taken(5, slice(10, 2, -1)), (Elements{4, 2, -1}));
  EXPECT_EQ(taken(5, slice(-100, 100)), (Elements{0, 5, 1}));
  EXPECT_EQ(taken(5, slice(3, 1)).count, 0);
  EXPECT_EQ(taken(5, slice(none, 0, -2)), (Elements{4, 2, -2}));
  EXPECT_EQ(taken(5, slice(-100, none, -1)).count, 0);
  EXPECT_EQ(taken(5, slice(100, -100, -1)), (Elements{4, 5, -1}));
  EXPECT_EQ(taken(0, slice(none, none, -1)).count, 0);
}

TEST(LayoutIndexing, ExtremeBoundsAndSteps) {
  EXPECT_EQ(taken(5, slice(INT64_MIN, INT64_MAX)), (Elements{0, 5, 1}));
  EXPECT_EQ(taken(5, slice(INT64_MAX, INT64_MIN, -1)), (Elements{4, 5, -1}));
  EXPECT_EQ(taken(5, slice(none, none, INT64_MAX)).count, 1);
  EXPECT_EQ(taken(5, slice(none, none, INT64_MIN)).count, 1);
  EXPECT_EQ(taken(5, slice(none, none, INT64_MIN)).first, 4);
  EXPECT_EQ(taken(INT64_MAX, slice(none, none, 2)).count, (index_t{1} << 62));
}

TEST(LayoutIndexing, AnEmptySliceStaysInsideTheArray) {
  for (const Slice& nothing : {slice(5, 5), slice(7, 9), slice(2, 1), slice(0, 3, -1)}) {
    const Layout part = at(Layout::contiguous({5}, 8).with_offset(80), {nothing});
    EXPECT_TRUE(part.empty());
    EXPECT_EQ(part.byte_range(), (ByteRange{80, 80}));
  }
}

TEST(LayoutIndexing, NegativeSteps) {
  expect_layout(at(Layout::contiguous({4}, 8), {slice(none, none, -1)}), {4}, {-8}, 24);
  expect_layout(at(cube, {slice(none, none, -1), slice(), slice(none, none, -2)}), {3, 4, 3}, {-160, 40, -16}, 352);
}

TEST(LayoutIndexing, SlicesOfSlices) {
  const Layout reversed = at(Layout::contiguous({10}, 8), {slice(none, none, -1)});
  expect_layout(at(reversed, {slice(2, 8, 3)}), {2}, {-24}, 56);
  expect_layout(at(at(reversed, {slice(2, 8, 3)}), {slice(none, none, -1)}), {2}, {24}, 32);
  const Layout repeated = layouts::broadcast_to(Layout::contiguous({3}, 8), {4, 3});
  expect_layout(at(repeated, {slice(1, 3), slice(none, none, -1)}), {2, 3}, {0, -8}, 16);
  expect_layout(at(repeated, {slice(none, none, -1)}), {4, 3}, {0, 8}, 0);
}

TEST(LayoutIndexing, NewAxisAddsAUnitAxis) {
  const Layout part = at(cube, {newaxis, 1, newaxis, slice(0, 2), newaxis});
  EXPECT_EQ(part.shape(), (Shape{1, 1, 2, 1, 5}));
  EXPECT_EQ(part.offset(), 160);
  EXPECT_EQ(part.strides()[2], 40);
  EXPECT_EQ(part.strides()[4], 8);
  EXPECT_EQ(at(Layout(), {newaxis, newaxis}).shape(), (Shape{1, 1}));
}

TEST(LayoutIndexing, EllipsisStandsForTheRest) {
  expect_layout(at(cube, {ellipsis, 1}), {3, 4}, {160, 40}, 8);
  expect_layout(at(cube, {1, ellipsis, 2}), {4}, {40}, 176);
  expect_layout(at(cube, {0, 1, ellipsis, 2}), {}, {}, 56);
  EXPECT_EQ(at(cube, {ellipsis, newaxis}).shape(), (Shape{3, 4, 5, 1}));
}

TEST(LayoutIndexing, IndexOutOfRange) {
  expect_names(message_of<IndexError>([] { at(cube, {slice(), 4}); }), {"4", "axis 1", "(3, 4, 5)"});
  message_of<IndexError>([] { at(cube, {-4}); });
  message_of<IndexError>([] { at(cube, {INT64_MIN}); });
  message_of<IndexError>([] { at(cube, {INT64_MAX}); });
  message_of<IndexError>([] { at(Layout::contiguous({0}, 8), {0}); });
  message_of<IndexError>([] { at(Layout::contiguous({0}, 8), {-1}); });
}

TEST(LayoutIndexing, TooManyEntries) {
  expect_names(message_of<IndexError>([] { at(cube, {0, 0, 0, 0}); }), {"4", "(3, 4, 5)"});
  message_of<IndexError>([] { at(Layout(), {slice()}); });
  message_of<IndexError>([] { at(cube, {0, 0, ellipsis, 0, slice()}); });
  message_of<IndexError>([] { at(cube, {ellipsis, 0, ellipsis}); });
}

TEST(LayoutIndexing, StepOfZero) {
  expect_names(message_of<IndexError>([] { at(cube, {slice(none, none, 0)}); }), {"step 0", "(3, 4, 5)"});
  message_of<IndexError>([] { at(Layout::contiguous({0}, 8), {slice(none, none, 0)}); });
}

TEST(LayoutIndexing, UpTo64Axes) {
  const std::vector<IndexEntry> axes(65, newaxis);
  EXPECT_EQ(layouts::index(Layout(), axes.data(), 64).ndim(), 64U);
  message_of<ShapeError>([&] { layouts::index(Layout(), axes.data(), 65); });
  const Layout wide = Layout::contiguous(Shape::filled(64, 1), 8);
  EXPECT_EQ(at(wide, {ellipsis, 0}).ndim(), 63U);
}

// Such strides are legal, since no element uses them; they must not overflow.
TEST(LayoutIndexing, StridesThatNoElementUses) {
  const Layout empty = Layout::strided({0, 10}, {1, INT64_MAX}, 8);
  EXPECT_EQ(at(empty, {slice(), slice(none, none, 2)}).shape(), (Shape{0, 5}));
  EXPECT_EQ(at(empty, {slice(), slice(3, none, -1)}).shape(), (Shape{0, 4}));
  expect_layout(at(empty, {slice(), -1}), {0}, {1});
  const Layout unit = Layout::strided({1, 2}, {INT64_MIN, 8}, 8);
  expect_layout(at(unit, {0}), {2}, {8});
  EXPECT_EQ(at(unit, {slice(none, none, -1)}).offset(), 0);
}

}  // namespace
}  // namespace ferry::test
