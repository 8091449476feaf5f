#include "core/copy/transfer_routes.hpp"

#include <utility>

#include "core/copy/driver_copy.hpp"
#include "core/copy/pipeline.hpp"
#include "core/copy/plan.hpp"
#include "core/copy/threaded_copy.hpp"

namespace ferry::inline v0::copying {

using backend::MemorySpace;
using backend::NativeStream;
using backend::StridedCopy;
using detail::ArrayHandle;

namespace {

// Page-locking costs milliseconds, so page-locked temporaries are kept for the next time.
ArrayHandle temporary(const char* what, const Layout& like, MemoryKind kind, const Stream& stream) {
  MemoryResource* const pool =
      kind == MemoryKind::pinned ? &stream.device().pool(Pool::cached, MemoryKind::pinned) : nullptr;
  return detail::allocate_array(what, like.dense_like(Order::K), {.kind = kind, .stream = stream, .resource = pool});
}

StridedCopy plan(const ArrayHandle& to, const ArrayHandle& from) {
  return plan_copy(to.base, to.layout, from.base, from.layout);
}

// Both sides are memory that kernels of the device reach.
void on_device(const StridedCopy& copy, MemorySpace& space, NativeStream stream) {
  if (is_one_run(copy)) {
    by_driver(copy, space, stream);
  } else {
    space.copy_strided(copy, stream);
  }
}

// From one device to another of the same backend: gathered densely there, sent, spread out here.
void to_peer(const Side& to, const Side& from, const Stream& stream) {
  MemorySpace &here = to.place.device->space(), &there = from.place.device->space();
  const bool bound_there = from.array->stream && &from.array->stream.device().state() == from.place.device;
  const Stream source_stream = bound_there ? from.array->stream : from.place.device->handle().default_stream();
  ArrayHandle sent = *from.array;
  if (!is_one_run(plan(*to.array, sent))) {
    sent = temporary("staging", to.array->layout, MemoryKind::device, source_stream);
    on_device(plan(sent, *from.array), there, source_stream.native());
  }
  ArrayHandle received = *to.array;
  if (!is_one_run(plan(received, sent))) received = temporary("staging", to.array->layout, MemoryKind::device, stream);
  // Both sides' earlier work first; and what was sent stays until it has arrived.
  stream.wait(source_stream.record());
  const StridedCopy run = plan(received, sent);
  here.copy_peer(run.to, there, run.from, static_cast<std::size_t>(run.itemsize), stream.native());
  source_stream.wait(stream.record());
  if (received.memory != to.array->memory) on_device(plan(*to.array, received), here, stream.native());
}

// Between devices of different backends, which share no events: through page-locked memory of the source's device,
// and the host waits in between.
void relay(const Side& to, const Side& from, const Stream& stream) {
  const Stream source_stream = from.place.device->handle().default_stream();
  if (from.array->stream && &from.array->stream.device().state() == from.place.device) from.array->stream.synchronize();
  const ArrayHandle packed = temporary("staging", to.array->layout, MemoryKind::pinned, source_stream);
  const Side between{&packed, {from.place.device, true}};
  move_elements(between, from, source_stream);
  source_stream.synchronize();
  move_elements(to, between, stream);
  stream.synchronize();
}

}  // namespace

bool move_elements(const Side& to, const Side& from, const Stream& stream) {
  MemorySpace& space = stream.device().space();
  const bool up = from.place.on_host;
  const Path path = choose_path(to, from, stream);
  switch (path.route) {
    case Route::host:
      // A page-locked side may be the target of a transfer that the stream has not finished.
      if (space.capabilities().asynchronous) wait_in_place_of_work(stream);
      threaded_copy(path.copy, to.array->layout.nbytes(), helpers_for(stream, to.array->layout.nbytes()));
      return false;
    case Route::device:
      on_device(path.copy, space, stream.native());
      return true;
    case Route::driver:
      by_driver(path.copy, space, stream.native());
      return path.locked;
    case Route::locked_run:
      up ? upload_run(*path.transfer, stream) : download_run(*path.transfer, stream);
      return true;
    case Route::locked_span:
      upload_span(*path.transfer, stream);
      return true;
    case Route::pipeline:
      // A page-locked source may itself still be the target of a transfer on this stream.
      if (up && path.locked) wait_in_place_of_work(stream);
      up ? upload(*path.transfer, stream) : download(*path.transfer, stream);
      return false;
    case Route::peer:
      to_peer(to, from, stream);
      return true;
    case Route::relay:
      relay(to, from, stream);
      return false;
  }
  return false;
}

}  // namespace ferry::inline v0::copying
