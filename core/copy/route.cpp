#include "core/copy/route.hpp"

#include <utility>

#include "core/copy/cost.hpp"
#include "core/copy/driver_copy.hpp"
#include "core/copy/plan.hpp"
#include "core/copy/tuning.hpp"

namespace ferry::inline v0::copying {

using backend::MemorySpace;
using backend::StridedCopy;
using detail::ArrayHandle;

namespace {

StridedCopy plan(const ArrayHandle& to, const ArrayHandle& from) {
  return plan_copy(to.base, to.layout, from.base, from.layout);
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

// A pipeline follows the host side's own order, so that packing and unpacking go through memory as it lies; what that
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

bool is_for_driver(const StridedCopy& copy, const ArrayHandle& host, bool locked) {
  return driver_should(copy) && (locked || !is_long(host));
}

// Between a host side and a device.
Path choose_transfer(const ArrayHandle& host, const ArrayHandle& device, bool up, StridedCopy copy,
                     const Stream& stream, std::optional<Path>* rejected) {
  const bool locked = is_page_locked(stream.device().space(), host);
  if (is_for_driver(copy, host, locked)) return {Route::driver, locked, std::move(copy), std::nullopt};
  if (locked && is_gapless(host)) {
    return {Route::locked_run, locked, std::move(copy), pair_up_in(host, device, true)};
  }
  Path best{Route::pipeline, locked, std::move(copy), pair_up_best(host, device)};
  // What is moved along with the elements may be read, since all of it is page-locked, but must not be written.
  if (!locked || !up || !is_long(host) || has_repeats(host.layout)) return best;
  Path other{Route::locked_span, locked, best.copy, pair_up_in(host, device, true)};
  if (!fits_stage(*other.transfer)) return best;
  if (predict(other, up, stream).seconds < predict(best, up, stream).seconds) std::swap(best, other);
  if (rejected != nullptr) *rejected = std::move(other);
  return best;
}

bool are_peers(MemorySpace& a, MemorySpace& b) {
  return a.capabilities().peer_copies && a.backend_name() == b.backend_name();
}

bool is_device_memory(const Side& side) {
  return detail::kind_of(*side.array) == MemoryKind::device;
}

}  // namespace

Path choose_path(const Side& to, const Side& from, const Stream& stream, std::optional<Path>* rejected) {
  StridedCopy copy = plan(*to.array, *from.array);
  if (to.place.on_host && from.place.on_host) return {Route::host, false, std::move(copy), std::nullopt};
  if (from.place.on_host) return choose_transfer(*from.array, *to.array, true, std::move(copy), stream, rejected);
  if (to.place.on_host) return choose_transfer(*to.array, *from.array, false, std::move(copy), stream, rejected);
  if (to.place.device == from.place.device) return {Route::device, false, std::move(copy), std::nullopt};
  const bool peers =
      is_device_memory(to) && is_device_memory(from) && are_peers(to.place.device->space(), from.place.device->space());
  return {peers ? Route::peer : Route::relay, false, std::move(copy), std::nullopt};
}

bool is_direct(const Side& to, const Side& from, MemorySpace& space) {
  if (to.place.on_host && from.place.on_host) return false;
  if (!to.place.on_host && !from.place.on_host) return to.place.device == from.place.device;
  const ArrayHandle& host = to.place.on_host ? *to.array : *from.array;
  return is_page_locked(space, host) && is_for_driver(plan(*to.array, *from.array), host, true);
}

}  // namespace ferry::inline v0::copying
