// The entry points of the copy engine: check everything, then choose who moves what.
#include <cstring>

#include "core/copy/checked_copy.hpp"
#include "core/copy/plan.hpp"
#include "core/copy/transfer_routes.hpp"
#include "core/memory/observing.hpp"
#include "ferry/backend/call_scope.hpp"
#include "ferry/backend/strided.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::detail {

using copying::Place;

namespace {

void require_memory(const char* call, const ArrayHandle& array) {
  if (array.base == nullptr) throw LifetimeError("ferry: " + std::string(call) + ": an array without memory");
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
  const copying::CheckedCopy copy(call, to, to_dtype, from, from_dtype, match, named, self.stream);
  const Stream& stream = copy.stream();
  stream.device().state().release_held();
  if (to.layout.nbytes() == 0) return {};  // also elements of no bytes, which files may hold
  require_memory(call, to);
  require_memory(call, from);
  if (copy.is_same_place()) return finish(stream, named, true);

  const bool overlap = copy.may_overlap();
  backend::MemorySpace& space = stream.device().space();
  const bool captured = space.is_capturing(stream.native());
  if (captured) {
    refuse_while_captured(call, stream, named, !overlap && copying::is_direct(copy.to(), copy.from(), space));
  }
  note_use(to, stream);
  note_use(from, stream);
  const ObservedCopy observed(to, from);
  if (!overlap) return finish(stream, named, copying::move_elements(copy.to(), copy.from(), stream), captured);
  // As if the source were read first. What is saved is the source, not what it is broadcast to.
  const ArrayHandle saved = copy_dense(call, from, from_dtype, Order::K, copy.from().place.on_host ? Stream{} : stream);
  note_use(saved, stream);
  const ArrayHandle again(saved, copying::match_source(call, to_dtype, to.layout, saved.layout, match));
  copying::move_elements(copy.to(), {&again, copying::place_of(saved)}, stream);
  return finish(stream, named, false);
}

void fill_elements(const char* call, const ArrayHandle& to, const DType& dtype, const void* element,
                   const Stream& named) {
  const backend::CallScope scope(call);
  copying::refuse_aliasing(call, dtype, to.layout);
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
