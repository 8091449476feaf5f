#include "core/copy/transfer_routes.hpp"

#include <algorithm>
#include <utility>

#include "core/copy/driver_copy.hpp"
#include "core/copy/pipeline.hpp"
#include "core/copy/tuning.hpp"
#include "core/copy/workers.hpp"
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

// By the calling thread and the pool's; anything still queued that fills the source must have been waited for.
void on_host(const ArrayHandle& to, const ArrayHandle& from, const Stream& stream) {
  const StridedCopy copy = plan(to, from);
  const index_t bytes = to.layout.nbytes();
  const int helpers = helpers_for(stream, bytes);
  if (helpers == 0) return backend::host_copy(copy);
  // A few long parts for each thread, cut across planes of a transposition as long as there are other axes: of short
  // ones it would read lines that it does not use up.
  const StridedCopy planes = with_planes_last(copy);
  const Cut cut({planes.extents, planes.to_strides, planes.from_strides, 0, 0, 0, planes.itemsize},
                std::max(tuning().piece, bytes / (4 * (helpers + 1))));
  for_each_piece(helpers, cut.count(), [&](index_t number) {
    const Box part = cut.part(number);
    Plan plan{part.extents, part.a_strides, part.b_strides, part.a, part.b, false};
    simplify(plan);
    backend::host_copy(to_copy(std::move(plan), copy.to, copy.from, part.itemsize));
  });
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

bool has_repeats(const Layout& layout) {
  for (std::size_t axis = 0; axis < layout.ndim(); ++axis) {
    if (layout.strides()[axis] == 0 && layout.shape()[axis] > 1) return true;
  }
  return false;
}

HostDeviceBox pair_up_in(const ArrayHandle& host, const ArrayHandle& device, bool order_of_host) {
  Plan plan = order_of_host ? pair_up(host.layout, device.layout) : pair_up(device.layout, host.layout);
  simplify(plan);
  const index_t run = absorb_run(plan, host.layout.itemsize());
  Box box{std::move(plan.extents),
          std::move(plan.to_strides),
          std::move(plan.from_strides),
          plan.to_offset,
          plan.from_offset,
          0,
          run};
  if (!order_of_host) {
    std::swap(box.a_strides, box.b_strides);
    std::swap(box.a, box.b);
  }
  return {std::move(box), host.base, device.base};
}

// A transfer follows the host side's own order, so that packing and unpacking go through memory as it lies; what that
// does to the device's order is made good by its kernels, which are some ten times as fast. Short transfers, for which
// a kernel's launch would count, and sources that repeat elements follow the device's order.
HostDeviceBox pair_up_best(const ArrayHandle& host, const ArrayHandle& device) {
  return pair_up_in(host, device, host.layout.nbytes() >= tuning().reorder && !has_repeats(host.layout));
}

// Whether the host's elements lie side by side, in whatever order.
bool is_gapless(const ArrayHandle& host) {
  return is_one_run(plan_copy(nullptr, host.layout.dense_like(Order::K), host.base, host.layout));
}

bool is_long(const ArrayHandle& array) {
  return array.layout.nbytes() >= tuning().pipeline;
}

// Both return whether the call need not have waited for the host's side.
bool to_device(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, const Stream& stream) {
  const StridedCopy copy = plan(to, from);
  const bool locked = is_page_locked(space, from);
  if (driver_should(copy) && (locked || !is_long(from))) {
    by_driver(copy, space, stream.native());
    return locked;
  }
  if (locked && is_gapless(from)) {
    upload_run(pair_up_in(from, to, true), stream);
    return true;
  }
  // A page-locked source may itself still be the target of a transfer on this stream.
  if (locked) wait_in_place_of_work(stream);
  upload(pair_up_best(from, to), stream);
  return false;
}

bool to_host(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, const Stream& stream) {
  const StridedCopy copy = plan(to, from);
  const bool locked = is_page_locked(space, to);
  if (driver_should(copy) && (locked || !is_long(to))) {
    by_driver(copy, space, stream.native());
    return locked;
  }
  if (locked && is_gapless(to)) {
    download_run(pair_up_in(to, from, true), stream);
    return true;
  }
  download(pair_up_best(to, from), stream);
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
    on_host(*to.array, *from.array, stream);
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
