#include "ferry/detail/array_handle.hpp"

#include "core/copy/place.hpp"
#include "core/memory/allocation.hpp"
#include "core/memory/flagged_resource.hpp"
#include "core/memory/host_locks.hpp"
#include "ferry/device_view.hpp"
#include "ferry/error.hpp"
#include "ferry/for_each_index.hpp"

namespace ferry::inline v0::detail {

const Layout& ArrayHandle::empty_layout() noexcept {
  static const Layout& layout = *new Layout(Layout::contiguous({0}, 1));  // leaked: static arrays may need it late
  return layout;
}

namespace {
// Where the host and kernels both reach memory, each may have an address of its own.
bool has_two_addresses(MemoryKind kind) noexcept {
  return kind == MemoryKind::mapped || kind == MemoryKind::managed;
}
Face face_of(MemoryKind kind) noexcept {
  return kind == MemoryKind::pageable || kind == MemoryKind::pinned ? Face::host : Face::device;
}
}  // namespace

ArrayHandle allocate_array(const char* call, Layout layout, const AllocationRequest& request) {
  const bool by_stream = request.stream && !request.device.is_set();
  DeviceState& device = by_stream ? request.stream.device().state() : resolve(request.device).state();
  const Stream stream = copying::stream_for(call, device, request.stream, {});
  const auto bytes = layout.empty() ? std::size_t{0} : static_cast<std::size_t>(layout.byte_range().end);
  auto memory = std::make_shared<Allocation>(device, request.kind, bytes, StreamState::of(stream),
                                             resource_for(call, device, request), request.label);
  memory->count_if_unlabelled();
  if (has_two_addresses(request.kind)) memory->find_device_address();
  std::byte* base = memory->base();
  if (base != nullptr) base += memory->device_shift();
  return {std::move(memory), base, std::move(layout), request.stream, face_of(request.kind)};
}

Layout layout_for(const char* call, const Shape& shape, const Strides& strides, Order order, index_t itemsize) {
  if (strides.empty()) return Layout::contiguous(shape, itemsize, order);
  Layout layout = Layout::strided(shape, strides, itemsize);
  if (layouts::self_overlap(layout) != layouts::Overlap::no) {
    throw LayoutError("ferry: " + std::string(call) + ": with " + layout.to_string() + " and elements of " +
                      std::to_string(itemsize) + " bytes, elements would share memory with each other");
  }
  return layout.with_offset(-layout.byte_range().begin);
}

ArrayHandle wrap_memory(const char* call, void* data, const Shape& shape, const Strides& strides, index_t itemsize,
                        MemoryKind kind, const Device& device, std::shared_ptr<void> owner, std::string_view label) {
  Layout layout = strides.empty() ? Layout::contiguous(shape, itemsize) : Layout::strided(shape, strides, itemsize);
  if (data == nullptr && !layout.empty()) {
    throw LifetimeError("ferry: " + std::string(call) + ": a null pointer for an array of " + layout.to_string());
  }
  auto memory = std::make_shared<Allocation>(device.state(), kind, layout.byte_range(), std::move(owner), label);
  return {std::move(memory), static_cast<std::byte*>(data), std::move(layout), {}, face_of(kind)};
}

ArrayHandle borrow_host(const void* data, Layout layout) {
  return {nullptr, static_cast<std::byte*>(const_cast<void*>(data)), std::move(layout), {}, Face::host};
}

ArrayHandle with_face(const ArrayHandle& array, Face face) {
  ArrayHandle result = array;
  result.face = face;
  if (array.base == nullptr || (array.face == Face::host) == (face == Face::host)) return result;
  const std::ptrdiff_t shift = array.memory->device_shift();
  result.base += face == Face::host ? -shift : shift;
  return result;
}

void check_open(const ArrayHandle& array) {
  if (array.memory != nullptr && !array.memory->is_open()) {
    throw LifetimeError("ferry: an array of " + array.layout.to_string() +
                        " that was a view of mapped host memory is used after the end of its scope");
  }
}

Device device_of(const ArrayHandle& array) {
  return array.memory != nullptr ? array.memory->device().handle() : Device("host");
}
MemoryKind kind_of(const ArrayHandle& array) {
  return array.memory != nullptr ? array.memory->kind() : MemoryKind::pageable;
}
void note_use(const ArrayHandle& array, const Stream& stream) {
  if (!stream) return;
  if (array.memory != nullptr) {
    check_open(array);
    array.memory->used_on(StreamState::of(stream));
  }
  if (array.face == Face::host && !array.layout.empty()) {
    const ByteRange range = array.layout.byte_range();
    HostLocks::note_use({array.base + range.begin, array.base + range.end}, StreamState::of(stream));
  }
}
void wait_for_uses(const ArrayHandle& array) {
  if (array.memory != nullptr && !array.layout.empty()) array.memory->wait();
}

void prefetch(const ArrayHandle& array, bool to_device, const Stream& named) {
  const Stream stream = copying::stream_for("prefetch", *copying::place_of(array).device, named, array.stream);
  if (array.base == nullptr || array.layout.empty()) return;
  note_use(array, stream);
  const ByteRange range = array.layout.byte_range();
  stream.device().space().prefetch(array.base + range.begin, static_cast<std::size_t>(range.size()), to_device,
                                   stream.native());
}

Layout as_strided(const ArrayHandle& array, const Shape& shape, const Strides& strides, index_t offset) {
  index_t first = 0;
  if (__builtin_add_overflow(array.layout.offset(), offset, &first)) first = INT64_MAX;
  Layout layout = Layout::strided(shape, strides, array.layout.itemsize(), first);
  const ByteRange needed = layout.byte_range();
  const ByteRange owned = array.memory != nullptr ? array.memory->range() : array.layout.byte_range();
  if (!needed.empty() && (needed.begin < owned.begin || needed.end > owned.end)) {
    throw LayoutError("ferry: as_strided: " + layout.to_string() + " needs bytes " + std::to_string(needed.begin) +
                      " to " + std::to_string(needed.end) + ", but the allocation has " + std::to_string(owned.begin) +
                      " to " + std::to_string(owned.end));
  }
  return layout;
}

void throw_index_error(const Layout& layout, const index_t* index, std::size_t count) {
  throw IndexError("ferry: index " + Dims(index, count).to_string() + " for an array of " + layout.to_string() +
                   (count == layout.ndim() ? " is out of range" : " has another number of entries"));
}
void throw_misaligned(const char* call, const DType& dtype, const Layout& layout) {
  throw LayoutError("ferry: " + std::string(call) + ": elements of a " + dtype.name() + " array of " +
                    layout.to_string() + " lie at addresses that its type cannot have; use copy() first");
}
void throw_not_contiguous(const char* call, const DType& dtype, const Layout& layout) {
  throw LayoutError("ferry: " + std::string(call) + ": a " + dtype.name() + " array of " + layout.to_string() +
                    " is not C-contiguous; use copy(Order::C) first, or data() with strides()");
}
void throw_rank_mismatch(const char* call, std::size_t wanted, const Layout& layout) {
  throw ShapeError("ferry: " + std::string(call) + ": rank " + std::to_string(wanted) + " for an array of " +
                   layout.to_string());
}
void throw_dtype_mismatch(const char* call, const DType& wanted, const DType& found) {
  throw DTypeError("ferry: " + std::string(call) + ": " + wanted.name() + " was expected, and " + found.name() +
                   " found; convert with astype");
}
void throw_device_index(const index_t* index, const index_t* extents, std::size_t count) {
  throw IndexError("ferry: index " + Dims(index, count).to_string() + " is out of range for a DeviceView of shape " +
                   Dims(extents, count).to_string());
}

bool check_loop(const Stream& stream, const Shape& shape, std::size_t arity, bool device_code) {
  if (shape.size() != arity) {
    throw ShapeError("ferry: for_each_index: the callable takes " + std::to_string(arity) +
                     " indices, but the shape is " + shape.to_string());
  }
  static_cast<void>(Layout::contiguous(shape, 1));  // refuses negative extents and overflow
  const bool on_host = stream.device().space().capabilities().runs_tasks;
  if (!on_host && !device_code) {
    throw AccessError("ferry: for_each_index: " + stream.device().name() +
                      " does not run host code; compile this file as device code (.cu or .hip)");
  }
  return on_host;
}

void throw_launch_error(const Stream& stream, int code, const char* name) {
  throw DeviceError("for_each_index on " + stream.device().name() + ": the kernel was not launched", code, name);
}

}  // namespace ferry::inline v0::detail
