// The entry points of the copy engine: check everything, then choose who moves what.
#include <cstring>

#include "core/copy/transfer_routes.hpp"
#include "core/memory/observing.hpp"
#include "ferry/backend/call_scope.hpp"
#include "ferry/backend/strided.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::detail {

using copying::Place;
using copying::Side;

namespace {

std::string describe(const DType& dtype, const Layout& layout) {
  return dtype.name() + " array of " + layout.to_string();
}

[[noreturn]] void throw_shape_mismatch(const char* call, const DType& dtype, const Layout& to, const Layout& from,
                                       const char* rule) {
  throw ShapeError("ferry: " + std::string(call) + ": the source, a " + describe(dtype, from) + ", " + rule +
                   " the destination, a " + describe(dtype, to));
}

// The source under the destination's shape: axes of length 1 do not count.
Layout match_equal(const char* call, const DType& dtype, const Layout& to, const Layout& from) {
  if (to.shape() == from.shape()) return from;
  const Layout a = layouts::squeeze(to), b = layouts::squeeze(from);
  if (!(a.shape() == b.shape())) throw_shape_mismatch(call, dtype, to, from, "does not have the shape of");
  Strides strides = Strides::filled(to.ndim(), 0);
  for (std::size_t axis = 0, next = 0; axis < to.ndim(); ++axis) {
    if (to.shape()[axis] != 1) strides[axis] = b.strides()[next++];
  }
  return Layout::strided(to.shape(), strides, from.itemsize(), from.offset());
}

Layout match_broadcast(const char* call, const DType& dtype, const Layout& to, const Layout& from) {
  // Leading axes of length 1 that the destination lacks are dropped, as NumPy does in an assignment.
  Layout source = from;
  while (source.ndim() > to.ndim() && source.shape().front() == 1) source = layouts::squeeze(source, {0});
  try {
    return layouts::broadcast_to(source, to.shape());
  } catch (const ShapeError&) {
    throw_shape_mismatch(call, dtype, to, from, "does not broadcast to");
  }
}

Layout match_source(const char* call, const DType& dtype, const Layout& to, const Layout& from, Match match) {
  return match == Match::equal ? match_equal(call, dtype, to, from) : match_broadcast(call, dtype, to, from);
}

void refuse_aliasing(const char* call, const DType& dtype, const Layout& to) {
  const layouts::Overlap aliasing = layouts::self_overlap(to);
  if (aliasing == layouts::Overlap::no) return;
  throw LayoutError("ferry: " + std::string(call) + ": elements of the destination, a " + describe(dtype, to) +
                    (aliasing == layouts::Overlap::yes ? ", share memory with each other"
                                                       : ", could not be shown not to share memory with each other") +
                    "; write into a copy() instead");
}

void require_memory(const char* call, const ArrayHandle& array) {
  if (array.base == nullptr) throw LifetimeError("ferry: " + std::string(call) + ": an array without memory");
}

// The device that does the work: that of a side which the host cannot reach, else that of a page-locked side, whose
// streams may still be using it, else the host.
DeviceState& working_device(const Place& to, const Place& from, const Stream& named) {
  if (!to.on_host) return *to.device;
  if (!from.on_host) return *from.device;
  if (named) return named.device().state();
  return to.device->space().capabilities().asynchronous ? *to.device : *from.device;
}

bool may_overlap(const Side& to, const Side& from) {
  const std::optional<index_t> distance = copying::distance(*to.array, *from.array);
  if (!distance) return false;
  const Layout& source = from.array->layout;
  // Both layouts must count from one base.
  return layouts::overlap(to.array->layout, source.with_offset(source.offset() + *distance)) != layouts::Overlap::no;
}

bool is_same_place(const Side& to, const Side& from) {
  const std::optional<index_t> distance = copying::distance(*to.array, *from.array);
  const Layout& source = from.array->layout;
  return distance && to.array->layout.same_elements(source.with_offset(source.offset() + *distance));
}

// The kind of memory that stands for a face of the operand's memory.
MemoryKind kind_beside(const ArrayHandle& operand) {
  const MemoryKind kind = kind_of(operand);
  if (kind != MemoryKind::mapped && kind != MemoryKind::managed) return kind;
  if (operand.face == Face::both) return kind;
  if (operand.face == Face::device) return MemoryKind::device;
  return kind == MemoryKind::mapped ? MemoryKind::pinned : MemoryKind::pageable;
}

// Uninitialised memory for a result, on the same device as the operand.
ArrayHandle allocate_beside(const char* call, const ArrayHandle& operand, Layout layout, const Stream& stream) {
  ArrayHandle result = allocate_array(call, std::move(layout),
                                      {.kind = kind_beside(operand), .stream = stream, .device = device_of(operand)});
  result.stream = operand.stream;
  result.face = operand.face;
  return result;
}

// While a stream is being captured, calls on it are written down instead of run: nothing can be waited for, and memory
// that comes and goes within the call would be gone when the graph runs.
void refuse_while_captured(const char* call, const Stream& stream, const Stream& named, bool is_direct) {
  if (!named) {
    throw AccessError("ferry: " + std::string(call) +
                      ": the stream is being captured, so the call cannot wait for it; name the stream in the call");
  }
  if (is_direct) return;
  throw AccessError(
      "ferry: " + std::string(call) + ": " + stream.device().name() +
      ": while a stream is being captured only fills, copies within the device and copies of one run or of "
      "at least 128 bytes a row from and to page-locked memory work");
}

// Ends an operation: asynchronous where the call named a stream, else complete.
Transfer finish(const Stream& stream, const Stream& named, bool is_async, bool captured = false) {
  if (captured) return Transfer(Event(), true);  // who launches the graph knows when it is done
  if (named) return Transfer(stream.record(), is_async);
  stream.synchronize();
  return {};
}

}  // namespace

Transfer copy_elements(const char* call, const ArrayHandle& to, const DType& to_dtype, const ArrayHandle& from,
                       const DType& from_dtype, Match match, const Stream& named, const ArrayHandle& self) {
  const backend::CallScope scope(call);
  if (!(to_dtype == from_dtype)) throw_dtype_mismatch(call, to_dtype, from_dtype);
  const ArrayHandle source(from, match_source(call, to_dtype, to.layout, from.layout, match));
  refuse_aliasing(call, to_dtype, to.layout);
  const Side target{&to, copying::place_of(to)}, origin{&source, copying::place_of(from)};
  DeviceState& device = working_device(target.place, origin.place, named);
  const Stream stream = copying::stream_for(call, device, named, self.stream);
  device.release_held();
  if (to.layout.nbytes() == 0) return {};  // also elements of no bytes, which files may hold
  require_memory(call, to);
  require_memory(call, from);
  if (is_same_place(target, origin)) return finish(stream, named, true);

  const bool overlap = may_overlap(target, origin);
  const bool captured = stream.device().space().is_capturing(stream.native());
  if (captured) {
    refuse_while_captured(call, stream, named, !overlap && copying::is_direct(target, origin, stream.device().space()));
  }
  note_use(to, stream);
  note_use(from, stream);
  const ObservedCopy observed(to, from);
  if (!overlap) return finish(stream, named, copying::move_elements(target, origin, stream), captured);
  // As if the source were read first. What is saved is the source, not what it is broadcast to.
  const ArrayHandle saved = copy_dense(call, from, from_dtype, Order::K, origin.place.on_host ? Stream{} : stream);
  note_use(saved, stream);
  const ArrayHandle again(saved, match_source(call, to_dtype, to.layout, saved.layout, match));
  copying::move_elements(target, {&again, copying::place_of(saved)}, stream);
  return finish(stream, named, false);
}

void fill_elements(const char* call, const ArrayHandle& to, const DType& dtype, const void* element,
                   const Stream& named) {
  const backend::CallScope scope(call);
  refuse_aliasing(call, dtype, to.layout);
  const Place place = copying::place_of(to);
  const Stream stream = copying::stream_for(call, *place.device, named, to.stream);
  if (to.layout.empty()) return;
  require_memory(call, to);
  backend::MemorySpace& space = place.device->space();
  const bool on_calling_thread = place.on_host && space.capabilities().asynchronous;
  const bool captured = space.is_capturing(stream.native());
  if (captured) refuse_while_captured(call, stream, named, !on_calling_thread);
  note_use(to, stream);
  copying::Plan plan = copying::pair_up(to.layout, layouts::broadcast_to(Layout::contiguous({}, 1), to.layout.shape()));
  copying::simplify(plan);
  const backend::StridedFill fill{to.base + plan.to_offset, to.layout.itemsize(), plan.extents, plan.to_strides,
                                  static_cast<const std::byte*>(element)};
  if (on_calling_thread) {
    copying::wait_in_place_of_work(stream);  // a transfer may still be using page-locked memory
    backend::host_fill(fill);
    return;
  }
  space.fill_strided(fill, stream.native());
  finish(stream, named, true, captured);
}

ArrayHandle copy_dense(const char* call, const ArrayHandle& from, const DType& dtype, Order order,
                       const Stream& named) {
  const backend::CallScope scope(call);
  const Stream stream = copying::stream_for(call, *copying::place_of(from).device, named, from.stream);
  const ArrayHandle result = allocate_beside(call, from, from.layout.dense_like(order), stream);
  copy_elements(call, result, dtype, from, dtype, Match::equal, named, from);
  return result;
}

ArrayHandle convert_elements(const ArrayHandle& from, const DType& from_dtype, const DType& to_dtype, Order order,
                             const Stream& named) {
  const backend::CallScope scope("astype");
  if (!backend::is_convertible(to_dtype, from_dtype)) {
    throw DTypeError("ferry: astype: there is no conversion from " + from_dtype.name() + " to " + to_dtype.name());
  }
  const Place place = copying::place_of(from);
  const Stream stream = copying::stream_for("astype", *place.device, named, from.stream);
  const ArrayHandle result =
      allocate_beside("astype", from, from.layout.dense_like(order, to_dtype.itemsize()), stream);
  if (from.layout.empty()) return result;
  require_memory("astype", from);
  note_use(from, stream);
  copying::Plan plan = copying::pair_up(result.layout, from.layout);
  copying::simplify(plan);
  const backend::StridedConvert convert{result.base + plan.to_offset,
                                        from.base + plan.from_offset,
                                        to_dtype,
                                        from_dtype,
                                        plan.extents,
                                        plan.to_strides,
                                        plan.from_strides};
  backend::MemorySpace& space = place.device->space();
  if (place.on_host && space.capabilities().asynchronous) {
    copying::wait_in_place_of_work(stream);
    backend::host_convert(convert);
    return result;
  }
  space.convert_strided(convert, stream.native());
  finish(stream, named, true);
  return result;
}

bool equal_bytes(const ArrayHandle& a, const ArrayHandle& b) noexcept {
  const Layout &la = a.layout, &lb = b.layout;
  if (!(la.shape() == lb.shape()) || la.itemsize() != lb.itemsize()) return false;
  if (la.empty()) return true;
  index_t index[Dims::max_rank] = {};
  for (index_t i = 0; i < la.size(); ++i) {
    if (std::memcmp(a.base + la.at(index), b.base + lb.at(index), static_cast<std::size_t>(la.itemsize())) != 0) {
      return false;
    }
    for (std::size_t axis = la.ndim(); axis-- > 0;) {
      if (++index[axis] < la.shape()[axis]) break;
      index[axis] = 0;
    }
  }
  return true;
}

}  // namespace ferry::inline v0::detail
