#include "core/copy/driver_copy.hpp"

#include <bit>

#include "core/copy/tuning.hpp"
#include "core/copy/workers.hpp"
#include "ferry/copy_threads.hpp"

namespace ferry::inline v0::copying {

bool is_one_run(const backend::StridedCopy& copy) {
  return copy.extents.empty();
}

// Drivers move narrow rows one by one: 33 million rows of 4 bytes took 190 ms on an H200, where packing takes a third.
bool driver_should(const backend::StridedCopy& copy) {
  constexpr index_t narrow = 128, few = 64;
  if (is_one_run(copy)) return true;
  const bool at_pitches =
      copy.extents.size() == 1 && copy.to_strides[0] >= copy.itemsize && copy.from_strides[0] >= copy.itemsize;
  return at_pitches && (copy.itemsize >= narrow || copy.extents[0] <= few);
}

void by_driver(const backend::StridedCopy& copy, backend::MemorySpace& space, backend::NativeStream stream) {
  const auto bytes = static_cast<std::size_t>(copy.itemsize);
  if (is_one_run(copy)) {
    space.copy(copy.to, copy.from, bytes, stream);
  } else {
    space.copy_pitched(copy.to, static_cast<std::size_t>(copy.to_strides[0]), copy.from,
                       static_cast<std::size_t>(copy.from_strides[0]), bytes, static_cast<std::size_t>(copy.extents[0]),
                       stream);
  }
}

detail::ArrayHandle staging_memory(MemoryKind kind, index_t bytes, const Stream& stream) {
  // Page-locking costs milliseconds, so page-locked memory is kept for the next time, in sizes that others can use too.
  const bool locked = kind == MemoryKind::pinned;
  if (locked) bytes = static_cast<index_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
  return detail::allocate_array(
      "staging", Layout::contiguous({bytes}, 1),
      {.kind = kind, .stream = stream, .resource = locked ? &stream.device().pool(Pool::cached, kind) : nullptr});
}

int helpers_for(const Stream& stream, index_t bytes) {
  if (bytes < tuning().threads) return 0;
  if (stream && stream.device().space().capabilities().runs_tasks &&
      stream.device().space().capabilities().asynchronous && !copy_threads_were_set()) {
    return 0;
  }
  return copy_threads() - 1;
}

}  // namespace ferry::inline v0::copying
