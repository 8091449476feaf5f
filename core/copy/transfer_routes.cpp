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

ArrayHandle temporary(const char* what, const Layout& like, MemoryKind kind, const Stream& stream) {
  return detail::allocate_array(what, like.dense_like(Order::K), {.kind = kind, .stream = stream});
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

bool is_page_locked(MemorySpace& space, const ArrayHandle& array) {
  return space.query(array.data()).kind != MemoryKind::pageable;
}

// What the driver cannot copy in one call is packed on the host into page-locked memory in the destination's order,
// and unpacked by a kernel where the destination has gaps.
bool to_device(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, const Stream& stream) {
  if (const StridedCopy copy = plan(to, from); driver_can(copy)) {
    by_driver(copy, space, stream.native());
    return is_page_locked(space, from);
  }
  // A page-locked source may itself still be the target of a transfer on this stream.
  if (is_page_locked(space, from)) wait_in_place_of_work(stream);
  const ArrayHandle packed = temporary("staging", to.layout, MemoryKind::pinned, stream);
  on_host(packed, from);
  if (const StridedCopy copy = plan(to, packed); driver_can(copy)) {
    by_driver(copy, space, stream.native());
    return false;
  }
  const ArrayHandle dense = temporary("staging", to.layout, MemoryKind::device, stream);
  by_driver(plan(dense, packed), space, stream.native());
  on_device(to, dense, space, stream.native());
  return false;
}

bool to_host(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, const Stream& stream) {
  if (const StridedCopy copy = plan(to, from); driver_can(copy)) {
    by_driver(copy, space, stream.native());
    return is_page_locked(space, to);
  }
  // Gather on the device in the destination's order; if the destination is dense, the rest is one transfer.
  ArrayHandle dense = temporary("staging", to.layout, MemoryKind::device, stream);
  on_device(dense, from, space, stream.native());
  if (const StridedCopy copy = plan(to, dense); driver_can(copy)) {
    by_driver(copy, space, stream.native());
    return is_page_locked(space, to);
  }
  const ArrayHandle packed = temporary("staging", to.layout, MemoryKind::pinned, stream);
  by_driver(plan(packed, dense), space, stream.native());
  stream.synchronize();
  on_host(to, packed);
  return false;
}

// Through page-locked memory of the source's device. The host waits in between: devices of different vendors share no
// events.
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
    between_devices(to, from, stream);
    return false;
  }
  on_device(*to.array, *from.array, space, stream.native());
  return true;
}

}  // namespace ferry::inline v0::copying
