// The routes by which a checked copy travels.
#pragma once

#include "core/copy/route.hpp"

namespace ferry::inline v0::copying {

/// Moves the elements; both sides have the same shape and do not overlap. Returns whether every host side stays busy
/// until the stream gets there (true), or was free on return (false).
bool move_elements(const Side& to, const Side& from, const Stream& stream);

}  // namespace ferry::inline v0::copying
