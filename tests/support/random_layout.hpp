// Random shapes, strides and views for the property tests.
#pragma once

#include <vector>

#include "support/random_case.hpp"
#include "support/reference_array.hpp"

namespace ferry::test {

/// Extents of 0 to 7 and rank 0 to `max_rank`, with at most `max_size` elements.
List random_shape(Random& random, index_t max_rank = 6, index_t max_size = 300);
/// Another shape with the same number of elements, often one that a view could take.
List random_reshape(Random& random, const List& shape);
/// The same but for axes of length 1.
List random_unit_axes(Random& random, List shape);
/// A shape that broadcasts to the given one.
List random_broadcastable(Random& random, const List& shape);

/// Strides of all kinds: dense, permuted, with gaps of any number of bytes, negative, and those whose elements alias
/// each other: 0, or anything.
List random_strides(Random& random, const List& shape, index_t itemsize);
/// No two elements share a byte.
List random_strides_without_aliasing(Random& random, const List& shape, index_t itemsize);

/// A bound, integer or step that is usually in reach of an axis of the given length, and sometimes far beyond.
index_t random_place(Random& random, index_t length);
Slice random_slice(Random& random, index_t length);
/// Entries for an array of the given shape; with `faults`, sometimes entries that must be refused.
std::vector<IndexEntry> random_index(Random& random, const List& shape, bool faults);

}  // namespace ferry::test
