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

/// Whether the copy is one or more calls to the device that neither wait nor take memory of their own, as a stream that
/// is being captured needs.
bool is_direct(const Side& to, const Side& from, backend::MemorySpace& space);

/// Moves the elements; both sides have the same shape and do not overlap. Returns whether every host side stays busy
/// until the stream gets there (true), or was free on return (false).
bool move_elements(const Side& to, const Side& from, const Stream& stream);

}  // namespace ferry::inline v0::copying
