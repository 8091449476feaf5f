// What stands between the parentheses of a(…): integers, slices, newaxis, ellipsis.
#pragma once

#include "ferry/config.hpp"
#include "ferry/dims.hpp"

namespace ferry::inline v0 {

/// The bound that is not given: slice(none, none, -1) is Python's ::-1.
struct None {};
inline constexpr None none{};

/// Adds an axis of length 1.
struct NewAxis {};
inline constexpr NewAxis newaxis{};

/// Stands for as many full slices as the array has axes left. At most one in an index.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis{};

/// One bound of a slice: an integer, or none.
struct Bound {
  index_t value = 0;
  bool given = false;
  constexpr Bound() = default;
  constexpr Bound(None) {}  // NOLINT(google-explicit-constructor)
  template <detail::Integer I>
  constexpr Bound(I v) : value(detail::to_index(v)), given(true) {}  // NOLINT(google-explicit-constructor)
};

/// Python's start:stop:step. Bounds beyond the ends are clamped, negative ones count from the end, a step of 0 is an
/// IndexError when the slice meets an array.
struct Slice {
  Bound start, stop, step;
};
constexpr Slice slice() {
  return {};
}
constexpr Slice slice(Bound stop) {
  return {none, stop, none};
}
constexpr Slice slice(Bound start, Bound stop, Bound step = none) {
  return {start, stop, step};
}

/// One entry of an index, as the compiled layout code reads it.
struct IndexEntry {
  enum class Kind : unsigned char { integer, slice, new_axis, rest };
  Kind kind = Kind::slice;
  Slice bounds;  ///< for an integer, bounds.start is the integer

  template <detail::Integer I>
  constexpr IndexEntry(I i) : kind(Kind::integer), bounds{i, none, none} {}  // NOLINT(google-explicit-constructor)
  constexpr IndexEntry(Slice s) : bounds(s) {}                               // NOLINT(google-explicit-constructor)
  constexpr IndexEntry(NewAxis) : kind(Kind::new_axis) {}                    // NOLINT(google-explicit-constructor)
  constexpr IndexEntry(Ellipsis) : kind(Kind::rest) {}                       // NOLINT(google-explicit-constructor)
};

/// What may stand in an index.
template <class I>
concept IndexLike = detail::Integer<I> || std::is_same_v<std::remove_cvref_t<I>, Slice> ||
    std::is_same_v<std::remove_cvref_t<I>, NewAxis> || std::is_same_v<std::remove_cvref_t<I>, Ellipsis>;

}  // namespace ferry::inline v0
