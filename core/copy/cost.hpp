// How long a route should take.
#pragma once

#include "core/copy/route.hpp"

namespace ferry::inline v0::copying {

struct Cost {
  double seconds = 0;
  const char* limit = "";  ///< what most of it is spent on
};

/// From the machine's speeds (Speeds), which are measured when they are not known yet. Packing and moving overlap in a
/// pipeline, but for the first chunk; all else comes one after the other. Caches and what else the machine does are
/// left out of account. `up` is whether a transfer goes to the device. NaN for Route::peer and Route::relay, whose ways
/// are not measured.
Cost predict(const Path& path, bool up, const Stream& stream);

}  // namespace ferry::inline v0::copying
