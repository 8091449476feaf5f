// The sizes by which the copy engine decides.
#pragma once

#include "ferry/config.hpp"

namespace ferry::inline v0::copying {

/// Bytes, except `slots` and what comes behind `stage`. FERRY_COPY_TUNING replaces any of them, as
/// "chunk=65536,slots=4": tests make all of them tiny, so that small arrays take every route.
struct Tuning {
  index_t chunk = index_t{8} << 20;      ///< one transfer of a pipeline
  index_t slots = 8;                     ///< chunks of a pipeline that are packed, under way or unpacked at a time
  index_t piece = index_t{512} << 10;    ///< what one thread packs or unpacks at a time
  index_t pipeline = index_t{1} << 20;   ///< from here on pageable memory goes by pipeline, not by the driver
  index_t threads = index_t{1} << 20;    ///< from here on host copies are shared among threads
  index_t reorder = index_t{256} << 10;  ///< from here on a permutation is left to the device's kernels
  index_t stage = index_t{64} << 20;     ///< device memory for permuting what page-locked memory holds
  // Millions a second that stand for what Speeds measures; 0 leaves it alone.
  index_t up = 0, down = 0, device = 0, memory = 0, elements = 0;
};
const Tuning& tuning();

}  // namespace ferry::inline v0::copying
