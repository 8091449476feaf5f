// The routes by which a checked, simplified copy travels.
#pragma once

#include "core/copy/place.hpp"
#include "core/copy/plan.hpp"

namespace ferry::inline v0::copying {

/// One side of a copy.
struct Side {
  const detail::ArrayHandle* array;
  Place place;
};

/// Moves the elements; both sides have the same shape and do not overlap. Returns whether every host side stays busy
/// until the stream gets there (true), or was free on return (false).
bool move_elements(const Side& to, const Side& from, const Stream& stream);

}  // namespace ferry::inline v0::copying
