#include "ferry/any_array.hpp"

#include <cstring>

#include "core/dtype/byte_order.hpp"
#include "core/dtype/equal_values.hpp"
#include "ferry/error.hpp"
#include "ferry/print.hpp"

namespace ferry::inline v0 {

using detail::ArrayHandle;
using detail::Match;

namespace {

[[noreturn]] void throw_place(const char* call, const AnyArray& array, const char* wanted, const char* advice) {
  throw AccessError("ferry: " + std::string(call) + ": a " + array.dtype().name() + " array of " +
                    array.layout().to_string() + " lies in " + std::string(to_string(array.memory_kind())) +
                    " memory of " + array.device().name() + ", and " + wanted + " memory is needed; " + advice);
}

AnyArray allocate(const char* call, const DType& dtype, Layout layout, const detail::AllocationRequest& request) {
  return {dtype, detail::allocate_array(call, std::move(layout), request), false};
}

}  // namespace

bool AnyArray::is_aligned() const noexcept {
  const index_t alignment = dtype_.alignment();
  return reinterpret_cast<std::uintptr_t>(handle_.base) % static_cast<std::uintptr_t>(alignment) == 0 &&
         handle_.layout.is_aligned(alignment);
}

bool AnyArray::is_on_host() const {
  return handle_.face == detail::Face::host;
}

std::byte* AnyArray::mutable_data() const {
  if (read_only_) throw AccessError("ferry: mutable_data: the array is read-only; write into a copy()");
  return handle_.data();
}

AnyArray AnyArray::bind(const Stream& stream) const {
  AnyArray bound = *this;
  bound.handle_.stream = stream;
  return bound;
}

ArrayHandle AnyArray::typed(const char* call, const DType& wanted, bool const_elements, bool host) const {
  if (!dtypes::readable_as(wanted, dtype_)) detail::throw_dtype_mismatch(call, wanted, dtype_);
  if (host && !is_on_host()) throw_place(call, *this, "host", "use copy_to_host() first, or as_device");
  if (!host && is_on_host()) throw_place(call, *this, "device", "use to_device() first, or as");
  const AnyArray array = to_native();
  if (array.read_only_ && !const_elements) {
    throw AccessError("ferry: " + std::string(call) + ": the " + dtype_.name() + " array of " +
                      handle_.layout.to_string() + " is read-only; ask for const elements, or use copy() first");
  }
  // Memory with two faces shows the one that is asked for.
  return array.handle_.face == detail::Face::both ? detail::with_face(array.handle_, detail::Face::device)
                                                  : array.handle_;
}

void AnyArray::read_item(std::size_t indices, const DType& wanted, void* value) const {
  if (ndim() != 0) detail::throw_rank_mismatch("item", indices, handle_.layout);
  if (!dtypes::readable_as(wanted, dtype_)) detail::throw_dtype_mismatch("item", wanted, dtype_);
  auto* bytes = static_cast<std::byte*>(value);
  detail::copy_elements("item", detail::borrow_host(value, Layout::contiguous({}, wanted.itemsize())), dtype_, handle_,
                        dtype_, Match::equal, {}, handle_);
  dtypes::swap_elements(dtype_, bytes, 1);
}

AnyArray AnyArray::field(std::string_view name) const {
  const Field& found = dtype_.field(name);
  return {found.dtype,
          ArrayHandle(handle_, layouts::field(handle_.layout, found.offset, found.dtype.itemsize(), found.shape)),
          read_only_};
}

AnyArray AnyArray::as_record(std::size_t indices) const {
  if (!dtype_.is_record()) {
    throw DTypeError("ferry: record: the elements are no records, but " + dtype_.name() + "; use item or view");
  }
  if (ndim() != 0) detail::throw_rank_mismatch("record", indices, handle_.layout);
  return *this;
}

AnyArray AnyArray::broadcast_to(const Shape& shape) const {
  AnyArray result = view_of(layouts::broadcast_to(handle_.layout, shape));
  result.read_only_ = true;
  return result;
}

AnyArray AnyArray::view_as(const DType& dtype) const {
  return {dtype, ArrayHandle(handle_, layouts::view_as(handle_.layout, dtype.itemsize())), read_only_};
}

AnyArray AnyArray::as_strided(const Shape& shape, const Strides& strides, index_t offset) const {
  return view_of(detail::as_strided(handle_, shape, strides, offset));
}

AnyArray AnyArray::reshape(const Shape& shape, Order order, Copy copy) const {
  return {dtype_, detail::reshape(handle_, dtype_, shape, order, copy, {}), read_only_};
}

AnyArray AnyArray::ravel(Order order, Copy copy) const {
  return {dtype_, detail::ravel(handle_, dtype_, order, copy, {}), read_only_};
}

std::vector<AnyArray> AnyArray::split(index_t section, index_t axis) const {
  std::vector<AnyArray> parts;
  const std::size_t count = layouts::section_count(handle_.layout, section, axis);
  parts.reserve(count);
  for (std::size_t k = 0; k < count; ++k) parts.push_back(view_of(layouts::section(handle_.layout, section, axis, k)));
  return parts;
}

std::vector<AnyArray> array_split(const AnyArray& array, index_t parts, index_t axis) {
  if (parts < 1) static_cast<void>(layouts::array_split(array.layout(), parts, axis, 0));  // throws
  std::vector<AnyArray> result;
  for (std::size_t k = 0; k < static_cast<std::size_t>(parts); ++k) {
    result.push_back(array.view_of(layouts::array_split(array.layout(), parts, axis, k)));
  }
  return result;
}

std::vector<AnyArray> split_at(const AnyArray& array, const Dims& indices, index_t axis) {
  std::vector<AnyArray> result;
  for (std::size_t k = 0; k <= indices.size(); ++k) {
    result.push_back(array.view_of(layouts::split_at(array.layout(), indices, axis, k)));
  }
  return result;
}

AnyArray AnyArray::copy(Order order, const Stream& stream) const {
  return {dtype_, detail::copy_dense("copy", handle_, dtype_, order, stream), false};
}

AnyArray AnyArray::on_host() const {
  return is_on_host() ? *this : copy_to_host();
}

AnyArray AnyArray::to_native() const {
  if (!dtype_.is_swapped()) return *this;
  AnyArray host = is_on_host() ? copy() : copy_to_host();  // dense, and nobody else's
  dtypes::swap_elements(dtype_, host.handle_.data(), static_cast<std::size_t>(host.size()));
  host.dtype_ = dtype_.native();
  if (is_on_host()) return host;
  AnyArray result = allocate("to_native", host.dtype_, host.layout(),
                             {.kind = memory_kind(), .stream = handle_.stream, .device = device()});
  result.copy_to_device(host);
  return result;
}

AnyArray AnyArray::astype(const DType& dtype, Order order) const {
  const AnyArray native = to_native();
  const DType target = dtype.native();
  if (dtype.is_swapped() && !is_on_host()) {
    throw DTypeError("ferry: astype: " + dtype.name() +
                     " has the other byte order, which arrays in device memory cannot be brought into");
  }
  AnyArray result{dtype, {}, false};
  result.handle_ = dtypes::same_values(native.dtype_, target)
                       ? detail::copy_dense("astype", native.handle_, native.dtype_, order, {})
                       : detail::convert_elements(native.handle_, native.dtype_, target, order, {});
  if (!result.empty()) {
    dtypes::swap_elements(dtype, result.handle_.data(), static_cast<std::size_t>(result.size()));
  }
  return result;
}

Transfer AnyArray::write(const char* call, const AnyArray& source, Match match, const Stream& named,
                         const AnyArray& self) const {
  if (read_only_) {
    throw AccessError("ferry: " + std::string(call) + ": the destination, a " + dtype_.name() + " array of " +
                      handle_.layout.to_string() + ", is read-only");
  }
  if (!dtypes::same_bytes(dtype_, source.dtype_)) detail::throw_dtype_mismatch(call, dtype_, source.dtype_);
  // One type for both: that of a record may differ in alignment, which a copy does not care about.
  return detail::copy_elements(call, handle_, dtype_, source.handle_, dtype_, match, named, self.handle_);
}

AnyArray AnyArray::copy_to_host() const {
  const AnyArray result = allocate("copy_to_host", dtype_, handle_.layout.dense_like(Order::K),
                                   {.kind = MemoryKind::pageable, .device = Device("host")});
  result.write("copy_to_host", *this, Match::equal, {}, *this);
  return result;
}

Pending<AnyArray> AnyArray::copy_to_host(const Stream& stream) const {
  AnyArray result = allocate("copy_to_host", dtype_, handle_.layout.dense_like(Order::K),
                             {.kind = MemoryKind::pinned, .stream = stream, .device = device()});
  Transfer transfer = result.write("copy_to_host", *this, Match::equal, stream, *this);
  return {std::move(result), std::move(transfer)};
}

void AnyArray::copy_to_host(const AnyArray& destination) const {
  static_cast<void>(copy_to_host(destination, {}));
}

Transfer AnyArray::copy_to_host(const AnyArray& destination, const Stream& stream) const {
  if (!destination.is_on_host()) throw_place("copy_to_host", destination, "host", "use copy_to_device");
  return destination.write("copy_to_host", *this, Match::equal, stream, *this);
}

void AnyArray::copy_to_device(const AnyArray& source) const {
  static_cast<void>(copy_to_device(source, {}));
}

Transfer AnyArray::copy_to_device(const AnyArray& source, const Stream& stream) const {
  if (is_on_host()) throw_place("copy_to_device", *this, "device", "use assign");
  return write("copy_to_device", source, Match::equal, stream, *this);
}

void AnyArray::assign(const AnyArray& source) const {
  static_cast<void>(assign(source, {}));
}

Transfer AnyArray::assign(const AnyArray& source, const Stream& stream) const {
  return write("assign", source, Match::broadcast, stream, *this);
}

bool operator==(const AnyArray& a, const AnyArray& b) {
  if (!(a.shape() == b.shape()) || !dtypes::same_values(a.dtype(), b.dtype())) return false;
  const AnyArray x = a.on_host().to_native(), y = b.on_host().to_native();
  return dtypes::equal_values(x.dtype(), x.handle().base, x.layout(), y.dtype(), y.handle().base, y.layout());
}

std::string AnyArray::to_string() const {
  const AnyArray host = on_host();
  return format_array(host.dtype_, host.handle_.base, host.handle_.layout);
}

AnyArray detail::allocate_any(const char* call, MemoryKind kind, const Shape& shape, const DType& dtype,
                              const Alloc& options) {
  return allocate(call, dtype, layout_for(call, shape, options.strides, options.order, dtype.itemsize()),
                  {kind, options.stream, kind == MemoryKind::pageable ? Device("host") : options.device,
                   options.resource, options.label});
}

AnyArray host_view(void* data, const DType& dtype, const Shape& shape, const Strides& strides,
                   std::shared_ptr<void> owner) {
  return {dtype,
          detail::wrap_memory("host_view", data, shape, strides, dtype.itemsize(), MemoryKind::pageable, Device("host"),
                              std::move(owner)),
          false};
}
AnyArray host_view(const void* data, const DType& dtype, const Shape& shape, const Strides& strides,
                   std::shared_ptr<void> owner) {
  return {dtype,
          detail::wrap_memory("host_view", const_cast<void*>(data), shape, strides, dtype.itemsize(),
                              MemoryKind::pageable, Device("host"), std::move(owner)),
          true};
}
AnyArray wrap(void* data, const DType& dtype, const Shape& shape, const Strides& strides, const Device& device,
              std::shared_ptr<void> owner) {
  return {dtype,
          detail::wrap_memory("wrap", data, shape, strides, dtype.itemsize(), MemoryKind::device, resolve(device),
                              std::move(owner)),
          false};
}

AnyArray detail::upload_any(const AnyArray& source, const ToDevice<AnyArray>& options) {
  const AnyArray native = options.transfer ? source.to_native() : source;
  const AnyArray result =
      options.to != nullptr
          ? *options.to
          : allocate("to_device", source.dtype().native(), source.layout().dense_like(options.order),
                     {MemoryKind::device, options.stream, options.device, options.resource, options.label});
  if (options.transfer) static_cast<void>(result.copy_to_device(native, options.stream));
  return result;
}

}  // namespace ferry::inline v0
