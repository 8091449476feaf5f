#include "core/copy/transfer_routes.hpp"

#include "ferry/backend/strided.hpp"

namespace ferry::inline v0::copying {

using backend::MemorySpace;
using backend::NativeStream;
using backend::StridedCopy;
using detail::ArrayHandle;

namespace {

StridedCopy plan(const ArrayHandle& to, const ArrayHandle& from) {
  return plan_copy(to.base, to.layout, from.base, from.layout);
}

bool is_one_run(const StridedCopy& copy) {
  return copy.extents.empty();
}

// One run, or rows of bytes at pitches that a driver's two-dimensional copy can express.
bool driver_can(const StridedCopy& copy) {
  return is_one_run(copy) ||
         (copy.extents.size() == 1 && copy.to_strides[0] >= copy.itemsize && copy.from_strides[0] >= copy.itemsize);
}

// Drivers move narrow rows one by one: 33 million rows of 4 bytes took 190 ms on an H200, where packing takes a third.
bool driver_should(const StridedCopy& copy) {
  constexpr index_t narrow = 128, few = 64;
  return driver_can(copy) && (is_one_run(copy) || copy.itemsize >= narrow || copy.extents[0] <= few);
}

void by_driver(const StridedCopy& copy, MemorySpace& space, NativeStream stream) {
  const auto bytes = static_cast<std::size_t>(copy.itemsize);
  if (is_one_run(copy)) {
    space.copy(copy.to, copy.from, bytes, stream);
  } else {
    space.copy_pitched(copy.to, static_cast<std::size_t>(copy.to_strides[0]), copy.from,
                       static_cast<std::size_t>(copy.from_strides[0]), bytes, static_cast<std::size_t>(copy.extents[0]),
                       stream);
  }
}

// Page-locking costs milliseconds, so page-locked temporaries are kept for the next time.
ArrayHandle temporary(const char* what, const Layout& like, MemoryKind kind, const Stream& stream) {
  MemoryResource* const pool =
      kind == MemoryKind::pinned ? &stream.device().pool(Pool::cached, MemoryKind::pinned) : nullptr;
  return detail::allocate_array(what, like.dense_like(Order::K), {.kind = kind, .stream = stream, .resource = pool});
}

// Both sides are memory that kernels of the device reach.
void on_device(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, NativeStream stream) {
  const StridedCopy copy = plan(to, from);
  if (is_one_run(copy)) {
    by_driver(copy, space, stream);
  } else {
    space.copy_strided(copy, stream);
  }
}

// On the calling thread; anything still queued that fills the source must have been waited for.
void on_host(const ArrayHandle& to, const ArrayHandle& from) {
  backend::host_copy(plan(to, from));
}

// Whether all of an array's memory is page-locked. Registrations may lie side by side, or only under a part.
bool is_page_locked(MemorySpace& space, const ArrayHandle& array) {
  const ByteRange range = array.layout.byte_range();
  const std::byte* const end = array.base + range.end;
  for (const std::byte* at = array.base + range.begin; at < end;) {
    const backend::PointerInfo info = space.query(at);
    if (info.kind == MemoryKind::pageable) return false;
    // Of memory that is not Ferry's, the extent may be unknown.
    if (info.base == nullptr) return space.query(end - 1).kind != MemoryKind::pageable;
    at = static_cast<const std::byte*>(info.base) + info.bytes;
  }
  return true;
}

// What the driver cannot copy in one call is packed on the host into page-locked memory in the destination's order,
// and unpacked by a kernel where the destination has gaps.
bool to_device(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, const Stream& stream) {
  if (const StridedCopy copy = plan(to, from); driver_should(copy)) {
    by_driver(copy, space, stream.native());
    return is_page_locked(space, from);
  }
  // A page-locked source may itself still be the target of a transfer on this stream.
  if (is_page_locked(space, from)) wait_in_place_of_work(stream);
  const ArrayHandle packed = temporary("staging", to.layout, MemoryKind::pinned, stream);
  on_host(packed, from);
  if (const StridedCopy copy = plan(to, packed); driver_should(copy)) {
    by_driver(copy, space, stream.native());
    return false;
  }
  const ArrayHandle dense = temporary("staging", to.layout, MemoryKind::device, stream);
  by_driver(plan(dense, packed), space, stream.native());
  on_device(to, dense, space, stream.native());
  return false;
}

bool to_host(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, const Stream& stream) {
  if (const StridedCopy copy = plan(to, from); driver_should(copy)) {
    by_driver(copy, space, stream.native());
    return is_page_locked(space, to);
  }
  // Gather on the device in the destination's order; if the destination is dense, the rest is one transfer.
  ArrayHandle dense = temporary("staging", to.layout, MemoryKind::device, stream);
  on_device(dense, from, space, stream.native());
  if (const StridedCopy copy = plan(to, dense); driver_should(copy)) {
    by_driver(copy, space, stream.native());
    return is_page_locked(space, to);
  }
  const ArrayHandle packed = temporary("staging", to.layout, MemoryKind::pinned, stream);
  by_driver(plan(packed, dense), space, stream.native());
  stream.synchronize();
  on_host(to, packed);
  return false;
}

bool are_peers(MemorySpace& a, MemorySpace& b) {
  return a.capabilities().peer_copies && a.backend_name() == b.backend_name();
}

// From one device to another of the same backend: gathered densely there, sent, spread out here.
bool to_peer(const Side& to, const Side& from, const Stream& stream) {
  MemorySpace &here = to.place.device->space(), &there = from.place.device->space();
  const bool bound_there = from.array->stream && &from.array->stream.device().state() == from.place.device;
  const Stream source_stream = bound_there ? from.array->stream : from.place.device->handle().default_stream();
  ArrayHandle sent = *from.array;
  if (!is_one_run(plan(*to.array, sent))) {
    sent = temporary("staging", to.array->layout, MemoryKind::device, source_stream);
    on_device(sent, *from.array, there, source_stream.native());
  }
  ArrayHandle received = *to.array;
  if (!is_one_run(plan(received, sent))) received = temporary("staging", to.array->layout, MemoryKind::device, stream);
  // Both sides' earlier work first; and what was sent stays until it has arrived.
  stream.wait(source_stream.record());
  const StridedCopy run = plan(received, sent);
  here.copy_peer(run.to, there, run.from, static_cast<std::size_t>(run.itemsize), stream.native());
  source_stream.wait(stream.record());
  if (received.memory != to.array->memory) on_device(*to.array, received, here, stream.native());
  return true;
}

// Between devices of different backends, which share no events: through page-locked memory of the source's device,
// and the host waits in between.
void between_devices(const Side& to, const Side& from, const Stream& stream) {
  const Stream source_stream = from.place.device->handle().default_stream();
  if (from.array->stream && &from.array->stream.device().state() == from.place.device) from.array->stream.synchronize();
  const ArrayHandle packed = temporary("staging", to.array->layout, MemoryKind::pinned, source_stream);
  to_host(packed, *from.array, from.place.device->space(), source_stream);
  source_stream.synchronize();
  to_device(*to.array, packed, to.place.device->space(), stream);
  stream.synchronize();
}

}  // namespace

bool is_direct(const Side& to, const Side& from, MemorySpace& space) {
  if (to.place.on_host && from.place.on_host) return false;
  if (!to.place.on_host && !from.place.on_host) return to.place.device == from.place.device;
  return driver_should(plan(*to.array, *from.array)) &&
         is_page_locked(space, to.place.on_host ? *to.array : *from.array);
}

bool move_elements(const Side& to, const Side& from, const Stream& stream) {
  MemorySpace& space = stream.device().space();
  if (to.place.on_host && from.place.on_host) {
    // A page-locked side may be the target of a transfer that the stream has not finished.
    if (space.capabilities().asynchronous) wait_in_place_of_work(stream);
    on_host(*to.array, *from.array);
    return false;
  }
  if (from.place.on_host) return to_device(*to.array, *from.array, space, stream);
  if (to.place.on_host) return to_host(*to.array, *from.array, space, stream);
  if (to.place.device != from.place.device) {
    const auto is_device_memory = [](const Side& side) { return detail::kind_of(*side.array) == MemoryKind::device; };
    if (is_device_memory(to) && is_device_memory(from) &&
        are_peers(to.place.device->space(), from.place.device->space())) {
      return to_peer(to, from, stream);
    }
    between_devices(to, from, stream);
    return false;
  }
  on_device(*to.array, *from.array, space, stream.native());
  return true;
}

}  // namespace ferry::inline v0::copying
