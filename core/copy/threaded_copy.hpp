// Host copies shared among threads.
#pragma once

#include "ferry/backend/strided.hpp"

namespace ferry::inline v0::copying {

/// A planned copy of `bytes` bytes in memory that the host reaches, by the calling thread and up to `helpers` of the
/// pool's.
void threaded_copy(const backend::StridedCopy& copy, index_t bytes, int helpers);

}  // namespace ferry::inline v0::copying
