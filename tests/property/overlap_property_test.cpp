// Do elements share bytes? Against the sets of bytes themselves.
#include "layout_checks.hpp"

namespace ferry::test {
namespace {

using layouts::Overlap;

Overlap verdict(bool shares) {
  return shares ? Overlap::yes : Overlap::no;
}

TEST(OverlapProperty, OfOneArrayWithItself) {
  for_each_case(8'000, [](Random& random) {
    const LayoutPair pair = random_layout(random, 6, 200);
    EXPECT_EQ(layouts::self_overlap(pair.layout), verdict(pair.model.aliases_itself())) << describe(pair.layout);
  });
}

// Strides that leave elements interleaved, such as 2 and 3 with short axes: neither nested nor obviously aliasing.
TEST(OverlapProperty, OfInterleavedAxes) {
  for_each_case(5'000, [](Random& random) {
    const List shape = random_shape(random, 4, 80);
    List strides;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) strides.push_back(random.between(-60, 60));
    const index_t itemsize = random.between(1, 5);
    EXPECT_EQ(layouts::self_overlap(Layout::strided(shape, strides, itemsize)),
              verdict(ReferenceArray::strided(shape, strides, itemsize, 0).aliases_itself()))
        << describe(Layout::strided(shape, strides, itemsize));
  });
}

TEST(OverlapProperty, OfTwoArrays) {
  for_each_case(8'000, [](Random& random) {
    const LayoutPair a = random_layout(random, 5, 120);
    LayoutPair b = random_layout(random, 5, 120);
    // Moved to where the two spans meet: elsewhere the answer is plain.
    const auto [a_low, a_high] = a.model.byte_range();
    const auto [b_low, b_high] = b.model.byte_range();
    const index_t shift = random.between(a_low - b_high - 2, std::max(a_high - b_low + 2, a_low - b_high - 2));
    b.layout = b.layout.with_offset(b.layout.offset() + shift);
    for (index_t& address : b.model.addresses) address += shift;
    const Overlap expected = verdict(a.model.shares_a_byte_with(b.model));
    EXPECT_EQ(layouts::overlap(a.layout, b.layout), expected) << describe(a.layout) << " and " << describe(b.layout);
    EXPECT_EQ(layouts::overlap(b.layout, a.layout), expected) << describe(b.layout) << " and " << describe(a.layout);
  });
}

// Two views of one array: combs that fit between each other's teeth.
TEST(OverlapProperty, OfTwoViewsOfOneArray) {
  for_each_case(6'000, [](Random& random) {
    const LayoutPair whole = random_layout(random, 4, 200);
    std::vector<LayoutPair> views;
    for (int i = 0; i < 2; ++i) {
      const std::vector<IndexEntry> entries = random_index(random, whole.model.shape, false);
      views.push_back(
          {layouts::index(whole.layout, entries.data(), entries.size()), reference::index(whole.model, entries)});
    }
    EXPECT_EQ(layouts::overlap(views[0].layout, views[1].layout),
              verdict(views[0].model.shares_a_byte_with(views[1].model)))
        << describe(views[0].layout) << " and " << describe(views[1].layout);
  });
}

}  // namespace
}  // namespace ferry::test
