// Compares a Layout with the model.
#pragma once

#include <gtest/gtest.h>

#include <ferry/error.hpp>
#include <ferry/layout.hpp>
#include <sstream>
#include <string>

#include "support/random_layout.hpp"

namespace ferry::test {

/// A layout and what it must mean.
struct LayoutPair {
  Layout layout;
  ReferenceArray model;
};

/// Every address that a layout gives, from its own at().
inline ReferenceArray enumerate(const Layout& layout) {
  ReferenceArray result{to_list(layout.shape()), layout.itemsize(), {}};
  reference::walk(result.shape, false, [&](const List& index) { result.addresses.push_back(layout.at(index.data())); });
  return result;
}

inline std::string describe(const Layout& layout) {
  return layout.to_string() + ", item of " + std::to_string(layout.itemsize()) + " at " +
         std::to_string(layout.offset());
}

inline ::testing::AssertionResult matches(const Layout& layout, const ReferenceArray& model) {
  const ReferenceArray found = enumerate(layout);
  if (found.shape != model.shape) {
    return ::testing::AssertionFailure() << describe(layout) << ": the model has shape "
                                         << ::testing::PrintToString(model.shape);
  }
  if (found.itemsize != model.itemsize || layout.size() != model.size() ||
      layout.nbytes() != model.size() * model.itemsize || layout.empty() != model.empty() ||
      layout.ndim() != model.ndim()) {
    return ::testing::AssertionFailure() << describe(layout) << ": sizes differ from the model's, of " << model.size()
                                         << " elements of " << model.itemsize << " bytes";
  }
  for (std::size_t i = 0; i < model.addresses.size(); ++i) {
    if (found.addresses[i] != model.addresses[i]) {
      return ::testing::AssertionFailure() << describe(layout) << ": element " << i << " (in C order) is at "
                                           << found.addresses[i] << ", but must be at " << model.addresses[i];
    }
  }
  return ::testing::AssertionSuccess();
}

/// What a call did: the result, or the kind of error.
template <class Result>
struct Outcome {
  std::vector<Result> results;
  bool refused = false;
  Fault fault = Fault::shape;
};

template <class Result, class Call>
Outcome<Result> outcome_of_model(const Call& call) {
  try {
    return {call()};
  } catch (const Refusal& refusal) {
    return {{}, true, refusal.fault};
  }
}
template <class Result, class Call>
Outcome<Result> outcome_of_ferry(const Call& call) {
  try {
    return {call()};
  } catch (const ShapeError&) {
    return {{}, true, Fault::shape};
  } catch (const IndexError&) {
    return {{}, true, Fault::index};
  } catch (const LayoutError&) {
    return {{}, true, Fault::layout};
  }
}

/// Both sides make the same number of views with the same elements, or refuse for the same reason. Returns the views.
template <class Ferry, class Model>
std::vector<LayoutPair> agree(const char* operation, const LayoutPair& operand, const Ferry& ferry,
                              const Model& model) {
  const Outcome<Layout> found = outcome_of_ferry<Layout>(ferry);
  const Outcome<ReferenceArray> wanted = outcome_of_model<ReferenceArray>(model);
  std::vector<LayoutPair> pairs;
  EXPECT_EQ(found.refused, wanted.refused) << operation << " of " << describe(operand.layout);
  EXPECT_TRUE(!found.refused || found.fault == wanted.fault) << operation << ": another type of error";
  EXPECT_EQ(found.results.size(), wanted.results.size()) << operation << " of " << describe(operand.layout);
  if (::testing::Test::HasFailure()) return {};
  for (std::size_t i = 0; i < found.results.size(); ++i) {
    EXPECT_TRUE(matches(found.results[i], wanted.results[i])) << operation << " of " << describe(operand.layout);
    pairs.push_back({found.results[i], wanted.results[i]});
  }
  return pairs;
}

/// Any layout, and the model made from the same numbers.
inline LayoutPair random_layout(Random& random, index_t max_rank = 6, index_t max_size = 300) {
  const List shape = random_shape(random, max_rank, max_size);
  const index_t itemsize = random.pick(List{1, 2, 3, 4, 8, 12, 16, 24});
  const List strides = random_strides(random, shape, itemsize);
  const index_t offset = random.chance(50) ? 0 : random.between(-100, 100);
  return {Layout::strided(shape, strides, itemsize, offset), ReferenceArray::strided(shape, strides, itemsize, offset)};
}

}  // namespace ferry::test
