// How many threads the copy engine may use on the host.
#pragma once

#include "ferry/config.hpp"

namespace ferry::inline v0 {

/// Threads, the calling one among them, that large copies on the host and to and from devices pack, unpack and move
/// with; the others are started once, at the first large copy, and sleep in between. 1 leaves all work to the caller.
/// FERRY_COPY_THREADS sets it at start; without it, it is the number of processors that the process may run on, 16 at
/// the most. Waits for a copy that other threads are at. Thread-safe.
/// @throws IndexError for less than 1
FERRY_EXPORT void set_copy_threads(int threads);
FERRY_EXPORT int copy_threads() noexcept;

}  // namespace ferry::inline v0
