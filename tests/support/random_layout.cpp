#include "support/random_layout.hpp"

#include <algorithm>

namespace ferry::test {

List random_shape(Random& random, index_t max_rank, index_t max_size) {
  List shape(static_cast<std::size_t>(random.between(0, max_rank)));
  index_t size = 1;
  for (index_t& extent : shape) {
    // Rarely empty, since an empty array says little; often 1, since those axes are special everywhere.
    extent = random.chance(3) ? 0 : random.chance(20) ? 1 : random.between(2, 7);
    extent = std::min(extent, std::max<index_t>(1, max_size / size));
    size *= std::max<index_t>(extent, 1);
  }
  // Large extents would otherwise gather in front.
  List shuffled;
  for (const index_t axis : random.permutation(shape.size())) shuffled.push_back(shape[static_cast<std::size_t>(axis)]);
  return shuffled;
}

List random_reshape(Random& random, const List& shape) {
  List result = shape;
  if (reference::count(shape) == 0) {
    result = random_shape(random, 5);
    if (reference::count(result) != 0) result.push_back(0);
    return result;
  }
  for (index_t step = random.between(1, 5); step > 0; --step) {
    const auto at = static_cast<std::size_t>(random.below(static_cast<index_t>(result.size()) + 1));
    switch (random.below(4)) {
      case 0:  // one more axis of length 1
        if (result.size() < 10) result.insert(result.begin() + static_cast<std::ptrdiff_t>(at), 1);
        break;
      case 1:  // two neighbours become one
        if (at + 1 < result.size()) {
          result[at] *= result[at + 1];
          result.erase(result.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
        break;
      case 2: {  // one becomes two
        if (at == result.size() || result.size() >= 10) break;
        List divisors;
        for (index_t d = 1; d <= result[at]; ++d) {
          if (result[at] % d == 0) divisors.push_back(d);
        }
        const index_t divisor = random.pick(divisors);
        result[at] /= divisor;
        result.insert(result.begin() + static_cast<std::ptrdiff_t>(at), divisor);
        break;
      }
      default:
        if (random.chance(30)) {
          const List order = random.permutation(result.size());
          const List before = result;
          for (std::size_t i = 0; i < order.size(); ++i) result[i] = before[static_cast<std::size_t>(order[i])];
        }
    }
  }
  return result;
}

List random_unit_axes(Random& random, List shape) {
  if (random.chance(40)) std::erase(shape, 1);
  for (index_t more = random.below(3); more > 0 && shape.size() < 8; --more) {
    shape.insert(shape.begin() + random.below(static_cast<index_t>(shape.size()) + 1), 1);
  }
  return shape;
}

List random_broadcastable(Random& random, const List& shape) {
  List result(shape.begin() + random.below(static_cast<index_t>(shape.size()) + 1), shape.end());
  if (random.chance(40)) result = shape;
  for (index_t& extent : result) {
    if (random.chance(25)) extent = 1;
  }
  if (random.chance(15)) result.insert(result.begin(), shape.size() - result.size() + 1, 1);
  return result;
}

List random_strides_without_aliasing(Random& random, const List& shape, index_t itemsize) {
  List strides(shape.size());
  const bool in_c_order = random.chance(35), dense = random.chance(35), may_flip = random.chance(50);
  const List order = random.permutation(shape.size());
  index_t span = itemsize;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = in_c_order ? shape.size() - 1 - i : static_cast<std::size_t>(order[i]);
    // A gap of whole elements, or of bytes that leave the elements misaligned.
    index_t stride = span;
    if (!dense && random.chance(40))
      stride += random.chance(50) ? random.between(1, 3) * itemsize : random.between(1, 9);
    span = stride * std::max<index_t>(shape[axis] - 1, 0) + span;
    strides[axis] = may_flip && random.chance(40) ? -stride : stride;
    if (shape[axis] == 1 && random.chance(30)) strides[axis] = random.between(-1000, 1000);  // means nothing
  }
  return strides;
}

List random_strides(Random& random, const List& shape, index_t itemsize) {
  if (random.chance(60)) {
    List strides = random_strides_without_aliasing(random, shape, itemsize);
    for (index_t& stride : strides) {
      if (random.chance(6)) stride = 0;
    }
    return strides;
  }
  List strides(shape.size());
  const bool whole_elements = random.chance(50);
  for (index_t& stride : strides)
    stride = whole_elements ? random.between(-12, 12) * itemsize : random.between(-40, 40);
  return strides;
}

index_t random_place(Random& random, index_t length) {
  if (random.chance(4)) return random.pick(List{INT64_MIN, INT64_MIN + 1, INT64_MAX, -1000, 1000});
  return random.between(-length - 2, length + 2);
}

Slice random_slice(Random& random, index_t length) {
  Slice slice;
  if (random.chance(55)) slice.start = random_place(random, length);
  if (random.chance(55)) slice.stop = random_place(random, length);
  if (random.chance(60)) {
    index_t step = random.chance(4) ? random_place(random, length) : random.between(-3, 3);
    if (step == 0) step = -1;
    slice.step = step;
  }
  return slice;
}

std::vector<IndexEntry> random_index(Random& random, const List& shape, bool faults) {
  std::vector<IndexEntry> entries;
  const auto rank = static_cast<index_t>(shape.size());
  const auto leading = static_cast<std::size_t>(random.between(0, rank));
  const auto trailing = static_cast<std::size_t>(random.between(0, rank - static_cast<index_t>(leading)));
  const bool gap = trailing > 0 && leading + trailing < shape.size();
  const auto add = [&](std::size_t axis) {
    if (random.chance(15)) entries.emplace_back(newaxis);
    const index_t length = shape[axis];
    if (length > 0 && random.chance(20)) {
      entries.emplace_back(random.between(-length, length - 1));
    } else {
      entries.emplace_back(random_slice(random, length));
    }
  };
  for (std::size_t axis = 0; axis < leading; ++axis) add(axis);
  if (gap || random.chance(20)) entries.emplace_back(ellipsis);
  for (std::size_t i = trailing; i > 0; --i) add(shape.size() - i);
  if (random.chance(10)) entries.emplace_back(newaxis);
  if (!faults) return entries;
  switch (random.below(4)) {
    case 0:
      entries.insert(entries.end(), shape.size() + 1, IndexEntry(slice()));
      break;
    case 1:
      entries.insert(entries.end(), 2, IndexEntry(ellipsis));
      break;
    case 2:
      entries.insert(entries.begin(), IndexEntry(slice(none, none, 0)));
      break;
    default:
      entries.insert(entries.begin(), IndexEntry(random_place(random, shape.empty() ? 0 : shape[0])));
  }
  return entries;
}

}  // namespace ferry::test
