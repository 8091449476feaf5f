#include "core/copy/transfer_routes.hpp"

#include "ferry/backend/strided.hpp"

namespace ferry::inline v0::copying {

using backend::MemorySpace;
using backend::NativeStream;
using detail::ArrayHandle;

namespace {

/// A simplified copy with its addresses.
struct Move {
  Plan plan;
  index_t run;  // bytes in a row on both sides
  std::byte* to;
  const std::byte* from;

  Move(const ArrayHandle& to_array, const Layout& to_layout, const ArrayHandle& from_array, const Layout& from_layout)
      : plan(pair_up(to_layout, from_layout)) {
    simplify(plan);
    run = absorb_run(plan, to_layout.itemsize());
    to = to_array.base + plan.to_offset;
    from = from_array.base + plan.from_offset;
  }

  bool is_one_run() const { return plan.extents.empty(); }
  // Rows of bytes at pitches that a driver's two-dimensional copy can express.
  bool is_pitched() const {
    return plan.extents.size() == 1 && plan.to_strides[0] >= run && plan.from_strides[0] >= run;
  }
  bool driver_can() const { return is_one_run() || is_pitched(); }

  void by_driver(MemorySpace& space, NativeStream stream) const {
    const auto bytes = static_cast<std::size_t>(run);
    if (is_one_run()) {
      space.copy(to, from, bytes, stream);
    } else {
      space.copy_pitched(to, static_cast<std::size_t>(plan.to_strides[0]), from,
                         static_cast<std::size_t>(plan.from_strides[0]), bytes,
                         static_cast<std::size_t>(plan.extents[0]), stream);
    }
  }
  backend::StridedCopy strided() const { return {to, from, run, plan.extents, plan.to_strides, plan.from_strides}; }
};

Move make_move(const ArrayHandle& to, const ArrayHandle& from) { return {to, to.layout, from, from.layout}; }

ArrayHandle temporary(const char* what, const Layout& like, MemoryKind kind, const Stream& stream) {
  return detail::allocate_array(what, like.dense_like(Order::K), {.kind = kind, .stream = stream});
}

// Both sides are memory that kernels of the device reach.
void on_device(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, NativeStream stream) {
  const Move move = make_move(to, from);
  if (move.is_one_run()) {
    move.by_driver(space, stream);
  } else {
    space.copy_strided(move.strided(), stream);
  }
}

// On the calling thread; anything still queued that fills the source must have been waited for.
void on_host(const ArrayHandle& to, const ArrayHandle& from) {
  const Move move = make_move(to, from);
  backend::host_copy(move.strided());
}

bool is_page_locked(MemorySpace& space, const ArrayHandle& array) {
  return space.query(array.data()).kind != MemoryKind::pageable;
}

// What the driver cannot copy in one call is packed on the host into page-locked memory in the destination's order,
// and unpacked by a kernel where the destination has gaps.
bool to_device(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, const Stream& stream) {
  if (const Move move = make_move(to, from); move.driver_can()) {
    move.by_driver(space, stream.native());
    return is_page_locked(space, from);
  }
  // A page-locked source may itself still be the target of a transfer on this stream.
  if (is_page_locked(space, from)) stream.synchronize();
  const ArrayHandle packed = temporary("staging", to.layout, MemoryKind::pinned, stream);
  on_host(packed, from);
  if (const Move move = make_move(to, packed); move.driver_can()) {
    move.by_driver(space, stream.native());
    return false;
  }
  const ArrayHandle dense = temporary("staging", to.layout, MemoryKind::device, stream);
  make_move(dense, packed).by_driver(space, stream.native());
  on_device(to, dense, space, stream.native());
  return false;
}

bool to_host(const ArrayHandle& to, const ArrayHandle& from, MemorySpace& space, const Stream& stream) {
  if (const Move move = make_move(to, from); move.driver_can()) {
    move.by_driver(space, stream.native());
    return is_page_locked(space, to);
  }
  // Gather on the device in the destination's order; if the destination is dense, the rest is one transfer.
  ArrayHandle dense = temporary("staging", to.layout, MemoryKind::device, stream);
  on_device(dense, from, space, stream.native());
  if (const Move move = make_move(to, dense); move.driver_can()) {
    move.by_driver(space, stream.native());
    return is_page_locked(space, to);
  }
  const ArrayHandle packed = temporary("staging", to.layout, MemoryKind::pinned, stream);
  make_move(packed, dense).by_driver(space, stream.native());
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
    if (space.capabilities().asynchronous) stream.synchronize();
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
