#include "support/reference_array.hpp"

#include <algorithm>

namespace ferry::test {

namespace {

List sorted(const ReferenceArray& a) {
  List addresses = a.addresses;
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

bool is_one_run(const ReferenceArray& a, Order order) {
  index_t expected = a.empty() ? 0 : a.addresses.front();
  for (const std::size_t position : reference::reading_order(a, order)) {
    if (a.addresses[position] != expected) return false;
    expected += a.itemsize;
  }
  return true;
}

}  // namespace

ReferenceArray ReferenceArray::strided(const List& shape, const List& strides, index_t itemsize, index_t offset) {
  ReferenceArray result{shape, itemsize, {}};
  reference::walk(shape, false, [&](const List& index) {
    index_t address = offset;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) address += index[axis] * strides[axis];
    result.addresses.push_back(address);
  });
  return result;
}

index_t ReferenceArray::at(const List& index) const {
  return addresses[reference::position(shape, index)];
}

bool ReferenceArray::is_c_contiguous() const {
  return is_one_run(*this, Order::C);
}
bool ReferenceArray::is_f_contiguous() const {
  return is_one_run(*this, Order::F);
}

std::pair<index_t, index_t> ReferenceArray::byte_range() const {
  if (empty()) return {0, 0};
  const auto [low, high] = std::minmax_element(addresses.begin(), addresses.end());
  return {*low, *high + itemsize};
}

bool ReferenceArray::aliases_itself() const {
  const List all = sorted(*this);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] - all[i - 1] < itemsize) return true;
  }
  return false;
}

bool ReferenceArray::shares_a_byte_with(const ReferenceArray& other) const {
  if (itemsize == 0 || other.itemsize == 0) return false;
  const List theirs = sorted(other);
  return std::any_of(addresses.begin(), addresses.end(), [&](index_t mine) {
    const auto reaches_me = std::upper_bound(theirs.begin(), theirs.end(), mine - other.itemsize);
    return reaches_me != theirs.end() && *reaches_me < mine + itemsize;
  });
}

std::optional<index_t> ReferenceArray::step(std::size_t axis) const {
  if (empty() || shape[axis] < 2) return std::nullopt;
  List neighbour(ndim(), 0);
  neighbour[axis] = 1;
  return at(neighbour) - addresses.front();
}

namespace reference {

namespace {

std::size_t normalise(const ReferenceArray& a, index_t axis) {
  const auto rank = static_cast<index_t>(a.ndim());
  if (axis < -rank || axis >= rank) throw Refusal{Fault::shape};
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

// A view whose element at `index` is the operand's element at source(index).
template <class Source>
ReferenceArray view(const ReferenceArray& a, const List& shape, const Source& source) {
  ReferenceArray result{shape, a.itemsize, {}};
  walk(shape, false, [&](const List& index) { result.addresses.push_back(a.at(source(index))); });
  return result;
}

// Keeps the named places along one axis.
ReferenceArray take(const ReferenceArray& a, std::size_t axis, const List& places) {
  List shape = a.shape;
  shape[axis] = static_cast<index_t>(places.size());
  return view(a, shape, [&](List index) {
    index[axis] = places[static_cast<std::size_t>(index[axis])];
    return index;
  });
}

ReferenceArray take_range(const ReferenceArray& a, std::size_t axis, index_t begin, index_t end) {
  List places;
  for (index_t i = begin; i < end; ++i) places.push_back(i);
  return take(a, axis, places);
}

ReferenceArray drop(const ReferenceArray& a, const std::vector<bool>& dropped) {
  List shape;
  for (std::size_t axis = 0; axis < a.ndim(); ++axis) {
    if (!dropped[axis]) shape.push_back(a.shape[axis]);
  }
  return {shape, a.itemsize, a.addresses};
}

// NumPy's 'K' from its description: axes from the largest step to the smallest, equal ones as they stand. An axis
// without a step (its length is 1, or its elements share one address) has no place of its own: it stays behind
// whatever was last when it was reached from the left, that is behind the smallest step so far, or in front of all.
std::vector<std::size_t> axes_in_memory_order(const ReferenceArray& a) {
  struct Placed {
    std::size_t axis;
    index_t step;
    std::vector<std::size_t> followers;
  };
  std::vector<std::size_t> front;
  std::vector<Placed> placed;  // by falling step
  for (std::size_t axis = 0; axis < a.ndim(); ++axis) {
    const index_t step = std::abs(a.step(axis).value_or(0));
    if (step != 0) {
      const auto smaller =
          std::find_if(placed.begin(), placed.end(), [step](const Placed& other) { return other.step < step; });
      placed.insert(smaller, Placed{axis, step, {}});
    } else if (placed.empty()) {
      front.push_back(axis);
    } else {
      placed.back().followers.push_back(axis);
    }
  }
  std::vector<std::size_t> axes = front;
  for (const Placed& next : placed) {
    axes.push_back(next.axis);
    axes.insert(axes.end(), next.followers.begin(), next.followers.end());
  }
  return axes;
}

}  // namespace

index_t count(const List& shape) {
  index_t n = 0;
  walk(shape, false, [&](const List&) { ++n; });
  return n;
}

std::size_t position(const List& shape, const List& index) {
  index_t place = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) place = place * shape[axis] + index[axis];
  return static_cast<std::size_t>(place);
}

List slice_indices(index_t length, const Slice& slice) {
  const index_t step = slice.step.given ? slice.step.value : 1;
  if (step == 0) throw Refusal{Fault::index};
  const auto from_front = [length](index_t bound) { return bound < 0 ? bound + length : bound; };
  const index_t start = from_front(slice.start.value), stop = from_front(slice.stop.value);
  const std::uint64_t stride = step < 0 ? -static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  // Walk all places in the slice's direction. The first one not before the start is picked, then every step-th, until
  // the stop is reached.
  List picked;
  std::uint64_t since_first = 0;
  bool started = false;
  for (index_t walked = 0; walked < length; ++walked) {
    const index_t place = step > 0 ? walked : length - 1 - walked;
    if (slice.stop.given && (step > 0 ? place >= stop : place <= stop)) break;
    if (slice.start.given && (step > 0 ? place < start : place > start)) continue;
    since_first = started ? since_first + 1 : 0;
    started = true;
    if (since_first % stride == 0) picked.push_back(place);
  }
  return picked;
}

ReferenceArray index(const ReferenceArray& a, const std::vector<IndexEntry>& entries) {
  using Kind = IndexEntry::Kind;
  std::size_t consumed = 0, rests = 0;
  for (const IndexEntry& entry : entries) {
    if (entry.kind == Kind::rest) ++rests;
    if (entry.kind == Kind::integer || entry.kind == Kind::slice) ++consumed;
  }
  if (rests > 1 || consumed > a.ndim()) throw Refusal{Fault::index};
  std::vector<IndexEntry> full;
  const auto fill_up = [&]() { full.insert(full.end(), a.ndim() - consumed, IndexEntry(slice())); };
  for (const IndexEntry& entry : entries) {
    if (entry.kind == Kind::rest) {
      fill_up();
    } else {
      full.push_back(entry);
    }
  }
  if (rests == 0) fill_up();

  List shape;
  std::vector<List> places;             // along each axis of the operand
  std::vector<std::ptrdiff_t> made_of;  // the result's axis that runs along it, or -1
  for (const IndexEntry& entry : full) {
    if (entry.kind == Kind::new_axis) {
      shape.push_back(1);
      continue;
    }
    const index_t extent = a.shape[places.size()];
    if (entry.kind == Kind::integer) {
      const index_t wanted = entry.bounds.start.value;
      if (wanted < -extent || wanted >= extent) throw Refusal{Fault::index};
      places.push_back({wanted < 0 ? wanted + extent : wanted});
      made_of.push_back(-1);
    } else {
      places.push_back(slice_indices(extent, entry.bounds));
      made_of.push_back(static_cast<std::ptrdiff_t>(shape.size()));
      shape.push_back(static_cast<index_t>(places.back().size()));
    }
  }
  return view(a, shape, [&](const List& index) {
    List source(a.ndim());
    for (std::size_t axis = 0; axis < a.ndim(); ++axis) {
      const index_t along = made_of[axis] < 0 ? 0 : index[static_cast<std::size_t>(made_of[axis])];
      source[axis] = places[axis][static_cast<std::size_t>(along)];
    }
    return source;
  });
}

ReferenceArray permute(const ReferenceArray& a, const List& axes) {
  if (axes.size() != a.ndim()) throw Refusal{Fault::shape};
  std::vector<std::size_t> from;
  for (const index_t axis : axes) {
    const std::size_t n = normalise(a, axis);
    if (std::find(from.begin(), from.end(), n) != from.end()) throw Refusal{Fault::shape};
    from.push_back(n);
  }
  List shape;
  for (const std::size_t axis : from) shape.push_back(a.shape[axis]);
  return view(a, shape, [&](const List& index) {
    List source(index.size());
    for (std::size_t i = 0; i < index.size(); ++i) source[from[i]] = index[i];
    return source;
  });
}

ReferenceArray transpose(const ReferenceArray& a) {
  return view(a, List(a.shape.rbegin(), a.shape.rend()),
              [](const List& index) { return List(index.rbegin(), index.rend()); });
}

ReferenceArray squeeze(const ReferenceArray& a) {
  std::vector<bool> dropped;
  for (const index_t extent : a.shape) dropped.push_back(extent == 1);
  return drop(a, dropped);
}

ReferenceArray squeeze(const ReferenceArray& a, const List& axes) {
  std::vector<bool> dropped(a.ndim(), false);
  for (const index_t axis : axes) {
    const std::size_t n = normalise(a, axis);
    if (dropped[n] || a.shape[n] != 1) throw Refusal{Fault::shape};
    dropped[n] = true;
  }
  return drop(a, dropped);
}

ReferenceArray flip(const ReferenceArray& a, index_t axis) {
  const std::size_t n = normalise(a, axis);
  return view(a, a.shape, [&](List index) {
    index[n] = a.shape[n] - 1 - index[n];
    return index;
  });
}

ReferenceArray broadcast_to(const ReferenceArray& a, const List& shape) {
  if (shape.size() < a.ndim()) throw Refusal{Fault::shape};
  const std::size_t leading = shape.size() - a.ndim();
  for (std::size_t axis = 0; axis < a.ndim(); ++axis) {
    if (a.shape[axis] != 1 && a.shape[axis] != shape[leading + axis]) throw Refusal{Fault::shape};
  }
  return view(a, shape, [&](const List& index) {
    List source(a.ndim());
    for (std::size_t axis = 0; axis < a.ndim(); ++axis) source[axis] = a.shape[axis] == 1 ? 0 : index[leading + axis];
    return source;
  });
}

ReferenceArray view_as(const ReferenceArray& a, index_t itemsize) {
  if (itemsize == a.itemsize) return a;
  if (itemsize < 1 || a.ndim() == 0) throw Refusal{Fault::layout};
  const index_t columns = a.shape.back(), row = columns * a.itemsize;
  List shape = a.shape;
  if (row % itemsize != 0) throw Refusal{Fault::layout};
  shape.back() = row / itemsize;
  // Every byte of every row, regrouped; the bytes of a row must follow each other.
  ReferenceArray result{shape, itemsize, {}};
  for (std::size_t first = 0; first < a.addresses.size(); first += static_cast<std::size_t>(columns)) {
    List bytes;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(columns); ++i) {
      for (index_t b = 0; b < a.itemsize; ++b) bytes.push_back(a.addresses[i] + b);
    }
    for (std::size_t b = 1; b < bytes.size(); ++b) {
      if (bytes[b] != bytes[b - 1] + 1) throw Refusal{Fault::layout};
    }
    for (std::size_t b = 0; b < bytes.size(); b += static_cast<std::size_t>(itemsize)) {
      result.addresses.push_back(bytes[b]);
    }
  }
  return result;
}

ReferenceArray field(const ReferenceArray& a, index_t offset, index_t itemsize, const List& shape) {
  const index_t members = count(shape);
  if (offset < 0 || offset + members * itemsize > a.itemsize) throw Refusal{Fault::layout};
  ReferenceArray result{a.shape, itemsize, {}};
  result.shape.insert(result.shape.end(), shape.begin(), shape.end());
  for (const index_t element : a.addresses) {
    for (index_t member = 0; member < members; ++member) {
      result.addresses.push_back(element + offset + member * itemsize);
    }
  }
  return result;
}

std::vector<ReferenceArray> split(const ReferenceArray& a, index_t section, index_t axis) {
  const std::size_t n = normalise(a, axis);
  if (section < 1) throw Refusal{Fault::shape};
  std::vector<ReferenceArray> parts;
  for (index_t begin = 0; begin < a.shape[n]; begin += section) {
    parts.push_back(take_range(a, n, begin, std::min(begin + section, a.shape[n])));
  }
  return parts;
}

std::vector<ReferenceArray> array_split(const ReferenceArray& a, index_t parts, index_t axis) {
  const std::size_t n = normalise(a, axis);
  if (parts < 1) throw Refusal{Fault::shape};
  // Dealt out one by one, so that the first parts are those that get one more.
  List lengths(static_cast<std::size_t>(parts), 0);
  for (index_t i = 0; i < a.shape[n]; ++i) ++lengths[static_cast<std::size_t>(i % parts)];
  std::vector<ReferenceArray> result;
  index_t begin = 0;
  for (const index_t length : lengths) {
    result.push_back(take_range(a, n, begin, begin + length));
    begin += length;
  }
  return result;
}

std::vector<ReferenceArray> split_at(const ReferenceArray& a, const List& at, index_t axis) {
  const std::size_t n = normalise(a, axis);
  std::vector<ReferenceArray> parts;
  for (std::size_t k = 0; k <= at.size(); ++k) {
    const Bound start = k == 0 ? Bound(none) : Bound(at[k - 1]), stop = k == at.size() ? Bound(none) : Bound(at[k]);
    parts.push_back(take(a, n, slice_indices(a.shape[n], slice(start, stop))));
  }
  return parts;
}

std::vector<std::size_t> reading_order(const ReferenceArray& a, Order order) {
  if (order == Order::A) order = a.is_f_contiguous() && !a.is_c_contiguous() ? Order::F : Order::C;
  std::vector<std::size_t> positions;
  if (order != Order::K) {
    walk(a.shape, order == Order::F, [&](const List& index) { positions.push_back(position(a.shape, index)); });
    return positions;
  }
  const std::vector<std::size_t> axes = axes_in_memory_order(a);
  List shape;
  for (const std::size_t axis : axes) shape.push_back(a.shape[axis]);
  walk(shape, false, [&](const List& index) {
    List source(axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) source[axes[i]] = index[i];
    positions.push_back(position(a.shape, source));
  });
  return positions;
}

List infer_shape(const ReferenceArray& a, const List& shape) {
  if (std::count(shape.begin(), shape.end(), -1) > 1) throw Refusal{Fault::shape};
  if (std::any_of(shape.begin(), shape.end(), [](index_t extent) { return extent < -1; })) throw Refusal{Fault::shape};
  const auto unknown = std::find(shape.begin(), shape.end(), -1);
  if (unknown == shape.end()) {
    if (count(shape) != a.size()) throw Refusal{Fault::shape};
    return shape;
  }
  // Try every extent that could be meant; beside an extent of 0 all are equally right, which is refused.
  List tried = shape;
  index_t& extent = tried[static_cast<std::size_t>(unknown - shape.begin())];
  extent = 1;
  if (count(tried) == 0) throw Refusal{Fault::shape};
  for (extent = 0; extent <= a.size(); ++extent) {
    if (count(tried) == a.size()) return tried;
  }
  throw Refusal{Fault::shape};
}

ReferenceArray reshape(const ReferenceArray& a, const List& shape, Order order) {
  if (order == Order::A) order = a.is_f_contiguous() && !a.is_c_contiguous() ? Order::F : Order::C;
  ReferenceArray result{shape, a.itemsize, List(a.addresses.size())};
  const std::vector<std::size_t> read = reading_order(a, order);
  std::size_t next = 0;
  walk(shape, order == Order::F,
       [&](const List& index) { result.addresses[position(shape, index)] = a.addresses[read[next++]]; });
  return result;
}

ReferenceArray ravel(const ReferenceArray& a, Order order) {
  ReferenceArray result{{a.size()}, a.itemsize, {}};
  for (const std::size_t position : reading_order(a, order)) result.addresses.push_back(a.addresses[position]);
  return result;
}

bool has_strides(const ReferenceArray& a) {
  List strides;
  for (std::size_t axis = 0; axis < a.ndim(); ++axis) strides.push_back(a.step(axis).value_or(0));
  bool follows = true;
  walk(a.shape, false, [&](const List& index) {
    index_t expected = a.addresses.front();
    for (std::size_t axis = 0; axis < a.ndim(); ++axis) expected += index[axis] * strides[axis];
    follows = follows && a.at(index) == expected;
  });
  return follows;
}

ReferenceArray match_equal(const ReferenceArray& source, const List& shape) {
  const auto without_units = [](List extents) {
    std::erase(extents, 1);
    return extents;
  };
  if (without_units(source.shape) != without_units(shape)) throw Refusal{Fault::shape};
  return {shape, source.itemsize, source.addresses};
}

ReferenceArray match_broadcast(ReferenceArray source, const List& shape) {
  while (source.ndim() > shape.size() && source.shape.front() == 1) source.shape.erase(source.shape.begin());
  return broadcast_to(source, shape);
}

Bytes gather(const Bytes& memory, const ReferenceArray& a) {
  Bytes elements;
  for (const index_t address : a.addresses) {
    for (index_t b = 0; b < a.itemsize; ++b) elements.push_back(memory.at(static_cast<std::size_t>(address + b)));
  }
  return elements;
}

void scatter(Bytes& memory, const ReferenceArray& a, const Bytes& elements) {
  std::size_t next = 0;
  for (const index_t address : a.addresses) {
    for (index_t b = 0; b < a.itemsize; ++b) memory.at(static_cast<std::size_t>(address + b)) = elements.at(next++);
  }
}

void copy(Bytes& to_memory, const ReferenceArray& to, const Bytes& from_memory, const ReferenceArray& from) {
  scatter(to_memory, to, gather(from_memory, from));
}

void fill(Bytes& memory, const ReferenceArray& to, const Bytes& element) {
  Bytes elements;
  for (index_t i = 0; i < to.size(); ++i) elements.insert(elements.end(), element.begin(), element.end());
  scatter(memory, to, elements);
}

}  // namespace reference
}  // namespace ferry::test
