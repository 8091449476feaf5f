// Layouts against the model: chains of views, and what a layout says about itself.
#include "layout_checks.hpp"

namespace ferry::test {
namespace {

List random_axes(Random& random, std::size_t rank, bool faults) {
  List axes = random.permutation(rank);
  for (index_t& axis : axes) {
    if (random.chance(30)) axis -= static_cast<index_t>(rank);
  }
  if (faults) axes.push_back(random.between(-8, 8));
  return axes;
}

// An axis of the array; with faults, perhaps one that it does not have.
index_t random_axis(Random& random, std::size_t rank, bool faults) {
  const auto n = static_cast<index_t>(rank);
  return faults || n == 0 ? random.between(-n - 2, n + 1) : random.between(-n, n - 1);
}

std::vector<LayoutPair> index_step(Random& random, const LayoutPair& from, bool faults) {
  const std::vector<IndexEntry> entries = random_index(random, from.model.shape, faults);
  return agree(
      "index", from, [&] { return std::vector{layouts::index(from.layout, entries.data(), entries.size())}; },
      [&] { return std::vector{reference::index(from.model, entries)}; });
}

std::vector<LayoutPair> axes_step(Random& random, const LayoutPair& from, bool faults) {
  const std::size_t rank = from.model.ndim();
  switch (random.below(4)) {
    case 0: {
      const List axes = random_axes(random, rank, faults);
      return agree(
          "permute", from, [&] { return std::vector{layouts::permute(from.layout, axes)}; },
          [&] { return std::vector{reference::permute(from.model, axes)}; });
    }
    case 1:
      return agree(
          "transpose", from, [&] { return std::vector{layouts::transpose(from.layout)}; },
          [&] { return std::vector{reference::transpose(from.model)}; });
    case 2: {
      const index_t axis = random_axis(random, rank, faults);
      return agree(
          "flip", from, [&] { return std::vector{layouts::flip(from.layout, axis)}; },
          [&] { return std::vector{reference::flip(from.model, axis)}; });
    }
    default: {
      if (random.chance(30)) {
        return agree(
            "squeeze", from, [&] { return std::vector{layouts::squeeze(from.layout)}; },
            [&] { return std::vector{reference::squeeze(from.model)}; });
      }
      List axes;
      for (std::size_t axis = 0; axis < rank; ++axis) {
        if (from.model.shape[axis] == 1 && random.chance(60)) axes.push_back(static_cast<index_t>(axis));
      }
      if (faults) axes.push_back(random_axis(random, rank, true));
      return agree(
          "squeeze", from, [&] { return std::vector{layouts::squeeze(from.layout, axes)}; },
          [&] { return std::vector{reference::squeeze(from.model, axes)}; });
    }
  }
}

std::vector<LayoutPair> broadcast_step(Random& random, const LayoutPair& from, bool faults) {
  List shape = from.model.shape;
  for (index_t& extent : shape) {
    if (extent == 1 && random.chance(60)) extent = random.between(0, 4);
    if (faults && random.chance(30)) extent = random.between(0, 4);
  }
  if (from.model.size() < 60 && random.chance(50)) shape.insert(shape.begin(), random.between(0, 3));
  if (faults && random.chance(30) && !shape.empty()) shape.pop_back();
  return agree(
      "broadcast_to", from, [&] { return std::vector{layouts::broadcast_to(from.layout, shape)}; },
      [&] { return std::vector{reference::broadcast_to(from.model, shape)}; });
}

std::vector<LayoutPair> item_step(Random& random, const LayoutPair& from, bool faults) {
  const index_t before = from.model.itemsize;
  if (random.chance(50)) {
    const index_t itemsize = random.chance(40) ? before * random.between(1, 3) : random.between(1, before);
    return agree(
        "view_as", from, [&] { return std::vector{layouts::view_as(from.layout, itemsize)}; },
        [&] { return std::vector{reference::view_as(from.model, itemsize)}; });
  }
  const index_t offset = random.between(faults ? -1 : 0, before - 1), itemsize = random.between(1, before - offset);
  List shape;
  if (from.model.size() < 100 && random.chance(40)) {
    for (index_t axes = random.between(1, 2); axes > 0; --axes) {
      shape.push_back(random.between(0, std::max<index_t>(1, std::min<index_t>(3, before / itemsize))));
    }
  }
  return agree(
      "field", from, [&] { return std::vector{layouts::field(from.layout, offset, itemsize, shape)}; },
      [&] { return std::vector{reference::field(from.model, offset, itemsize, shape)}; });
}

std::vector<LayoutPair> split_step(Random& random, const LayoutPair& from, bool faults) {
  const index_t axis = random_axis(random, from.model.ndim(), faults), parts = random.between(faults ? -1 : 1, 9);
  std::vector<Layout> views;
  const auto collect = [&](std::size_t count, const auto& part) {
    for (std::size_t k = 0; k < count; ++k) views.push_back(part(k));
    return views;
  };
  switch (random.below(3)) {
    case 0:
      return agree(
          "split", from,
          [&] {
            return collect(layouts::section_count(from.layout, parts, axis),
                           [&](std::size_t k) { return layouts::section(from.layout, parts, axis, k); });
          },
          [&] { return reference::split(from.model, parts, axis); });
    case 1:
      return agree(
          "array_split", from,
          [&] {
            return collect(static_cast<std::size_t>(std::max<index_t>(parts, 1)),
                           [&](std::size_t k) { return layouts::array_split(from.layout, parts, axis, k); });
          },
          [&] { return reference::array_split(from.model, parts, axis); });
    default: {
      List at(static_cast<std::size_t>(random.between(0, 4)));
      for (index_t& place : at) place = random_place(random, 7);
      return agree(
          "split_at", from,
          [&] {
            return collect(at.size() + 1, [&](std::size_t k) { return layouts::split_at(from.layout, at, axis, k); });
          },
          [&] { return reference::split_at(from.model, at, axis); });
    }
  }
}

// A reshape is a view when strides can express the model's result, which is decided from the addresses alone.
std::vector<LayoutPair> reshape_step(Random& random, const LayoutPair& from, bool faults) {
  const Order order = random.pick(std::vector{Order::C, Order::F, Order::A});
  List shape = random_reshape(random, from.model.shape);
  if (!shape.empty() && random.chance(30))
    shape[static_cast<std::size_t>(random.below(static_cast<index_t>(shape.size())))] = -1;
  if (faults) shape.push_back(random.between(-2, 3));
  const Outcome<List> wanted =
      outcome_of_model<List>([&] { return std::vector<List>{reference::infer_shape(from.model, shape)}; });
  const Outcome<List> found =
      outcome_of_ferry<List>([&] { return std::vector<List>{to_list(layouts::infer_shape(from.layout, shape))}; });
  EXPECT_EQ(found.refused, wanted.refused)
      << "infer_shape " << ::testing::PrintToString(shape) << " of " << describe(from.layout);
  EXPECT_EQ(found.results, wanted.results);
  if (found.refused || ::testing::Test::HasFailure()) return {};
  shape = found.results.front();
  const ReferenceArray expected = reference::reshape(from.model, shape, order);
  Layout view;
  const bool possible = layouts::try_reshape(from.layout, shape, order, view);
  EXPECT_EQ(possible, reference::has_strides(expected))
      << "reshape of " << describe(from.layout) << " to " << ::testing::PrintToString(shape) << ", order "
      << static_cast<int>(order);
  if (!possible || ::testing::Test::HasFailure()) return {};
  EXPECT_TRUE(matches(view, expected)) << "reshape of " << describe(from.layout);
  return {{view, expected}};
}

std::vector<LayoutPair> any_step(Random& random, const LayoutPair& from) {
  const bool faults = random.chance(8);
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return index_step(random, from, faults);
    case 3:
      return axes_step(random, from, faults);
    case 4:
      return broadcast_step(random, from, faults);
    case 5:
      return item_step(random, from, faults);
    case 6:
      return split_step(random, from, faults);
    default:
      return reshape_step(random, from, faults);
  }
}

void check_properties(const LayoutPair& pair) {
  const auto& [layout, model] = pair;
  EXPECT_EQ(layout.is_c_contiguous(), model.is_c_contiguous()) << describe(layout);
  EXPECT_EQ(layout.is_f_contiguous(), model.is_f_contiguous()) << describe(layout);
  const ByteRange range = layout.byte_range();
  if (model.empty()) {
    EXPECT_TRUE(range.empty()) << describe(layout);
  } else {
    EXPECT_EQ(std::pair(range.begin, range.end), model.byte_range()) << describe(layout);
  }
  for (const index_t alignment : {1, 2, 4, 8, 16}) {
    bool aligned = true;
    for (const index_t address : model.addresses) aligned = aligned && address % alignment == 0;
    EXPECT_EQ(layout.is_aligned(alignment), aligned) << describe(layout) << ", alignment " << alignment;
  }
}

TEST(LayoutProperty, ChainsOfViews) {
  for_each_case(16'000, [](Random& random) {
    LayoutPair pair = random_layout(random);
    ASSERT_TRUE(matches(pair.layout, pair.model));
    check_properties(pair);
    for (index_t steps = random.between(1, 6); steps > 0 && !::testing::Test::HasFailure(); --steps) {
      const std::vector<LayoutPair> views = any_step(random, pair);
      if (views.empty()) continue;  // refused by both, or split into nothing
      pair = random.pick(views);
      check_properties(pair);
    }
  });
}

TEST(LayoutProperty, Reshape) {
  for_each_case(8'000, [](Random& random) {
    LayoutPair pair = random_layout(random, 5);
    // Views of one axis stand in the way of some reshapes and not of others.
    if (random.chance(50)) {
      const std::vector<LayoutPair> views = index_step(random, pair, false);
      if (!views.empty()) pair = views.front();
    }
    for (int tries = 0; tries < 3; ++tries) reshape_step(random, pair, random.chance(10));
  });
}

// dense_like: every element once, without gaps from 0 on, in the order asked for.
TEST(LayoutProperty, DenseLike) {
  for_each_case(4'000, [](Random& random) {
    const LayoutPair pair = random_layout(random);
    const Order order = random.pick(std::vector{Order::C, Order::F, Order::A, Order::K});
    const index_t itemsize = random.chance(50) ? 0 : random.between(1, 16);
    const Layout dense = pair.layout.dense_like(order, itemsize);
    ReferenceArray expected{pair.model.shape, itemsize == 0 ? pair.model.itemsize : itemsize,
                            List(pair.model.addresses.size())};
    index_t next = 0;
    for (const std::size_t position : reference::reading_order(pair.model, order)) {
      expected.addresses[position] = next;
      next += expected.itemsize;
    }
    EXPECT_TRUE(matches(dense, expected))
        << "dense_like of " << describe(pair.layout) << ", order " << static_cast<int>(order);
  });
}

TEST(LayoutProperty, SameElements) {
  for_each_case(3'000, [](Random& random) {
    const LayoutPair pair = random_layout(random);
    List strides = to_list(pair.layout.strides());
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      const bool unused = pair.model.empty() || pair.model.shape[axis] == 1;
      if (random.chance(unused ? 60 : 10)) strides[axis] += random.between(-4, 4);
    }
    const index_t offset = pair.layout.offset() + (random.chance(10) ? 1 : 0);
    const Layout other = Layout::strided(pair.layout.shape(), strides, pair.layout.itemsize(), offset);
    EXPECT_EQ(pair.layout.same_elements(other), enumerate(other).addresses == pair.model.addresses)
        << describe(pair.layout) << " and " << describe(other);
  });
}

}  // namespace
}  // namespace ferry::test
