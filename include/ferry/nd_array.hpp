// NDArray: an n-dimensional array in device memory.
#pragma once

#include "ferry/config.hpp"
#include "ferry/detail/array_base.hpp"
#include "ferry/detail/host_operand.hpp"
#include "ferry/device_view.hpp"
#include "ferry/host_array.hpp"
#include "ferry/options.hpp"
#include "ferry/transfer.hpp"

namespace ferry::inline v0 {

template <class T>
class Record;

/// An array in device memory: no element access from the host, since a host dereference of device memory is what GPU
/// programs die of. A shared handle, as in NumPy and CuPy: copies alias, copy() copies, the last handle frees in
/// stream order. Calls that name a stream are asynchronous on it; all others use the bound stream, else the device's
/// legacy default stream, and are complete on return. Shape and dtype are checked before anything is touched.
template <class T>
class NDArray : public detail::ArrayBase<NDArray, T> {
  using Base = detail::ArrayBase<NDArray, T>;

 public:
  using Base::Base;
  using typename Base::value_type;
  NDArray() = default;
  NDArray(const NDArray&) = default;
  NDArray(NDArray&&) noexcept = default;
  // Rebinding a temporary would look like writing to the view it names; assign() writes.
  NDArray& operator=(const NDArray&) & = default;
  NDArray& operator=(NDArray&&) & noexcept = default;
  ~NDArray() = default;
  /// A read-only handle to the same elements.
  template <class U>
  requires(std::is_same_v<const U, T>) NDArray(const NDArray<U>& other)
      : Base(other.handle()) {}  // NOLINT(google-explicit-constructor)

  /// A view, also for integers alone: d(3, 4) has rank 0. See ArrayBase::view.
  template <IndexLike... I>
  NDArray operator()(I... entries) const {
    return this->view(entries...);
  }
  /// One element of an array of records.
  template <detail::Integer... I>
  Record<T> record(I... index) const;

  /// A new host array with the elements, dense, in this array's axis order.
  HostArray<value_type> copy_to_host() const {
    HostArray<value_type> result = host_like();
    copy_out("copy_to_host", result.handle(), {});
    return result;
  }
  /// As above on a stream, into page-locked memory.
  Pending<HostArray<value_type>> copy_to_host(const Stream& stream) const {
    auto result = HostArray<value_type>(
        detail::allocate_array("copy_to_host", this->layout().dense_like(Order::K),
                               {.kind = MemoryKind::pinned, .stream = stream, .device = this->device()}));
    Transfer transfer = copy_out("copy_to_host", result.handle(), stream);
    return {std::move(result), std::move(transfer)};
  }
  /// Into existing host memory of the same shape up to axes of length 1; gaps are not touched. Returns it.
  template <detail::HostDestination D>
  D&& copy_to_host(D&& destination) const {
    check_element<D>();
    copy_out("copy_to_host", detail::host_handle(destination), {});
    return std::forward<D>(destination);
  }
  /// As above on a stream. Memory that is not Ferry's must stay until the transfer is done.
  template <detail::HostDestination D>
  Transfer copy_to_host(D&& destination, const Stream& stream) const {
    check_element<D>();
    check_lifetime<D>();
    return copy_out("copy_to_host", detail::host_handle(destination), stream);
  }

  /// From host memory or a device array of the same shape up to axes of length 1.
  template <detail::HostSource S>
  void copy_to_device(const S& source) const requires(!std::is_const_v<T>) {
    check_element<const S>();
    copy_in("copy_to_device", detail::host_handle(source), detail::Match::equal, {});
  }
  template <detail::HostSource S>
  Transfer copy_to_device(S&& source, const Stream& stream) const requires(!std::is_const_v<T>) {
    check_element<S>();
    check_lifetime<S>();
    return copy_in("copy_to_device", detail::host_handle(source), detail::Match::equal, stream);
  }
  template <class U>
  requires(std::is_same_v<std::remove_const_t<U>, value_type> && !std::is_const_v<T>) Transfer
      copy_to_device(const NDArray<U>& source, const Stream& stream = {})
  const { return copy_in("copy_to_device", source.handle(), detail::Match::equal, stream); }

  /// Writes the elements of `source`, broadcast to this shape. Overlap gives what reading the source first would give.
  template <class U>
  requires(std::is_same_v<std::remove_const_t<U>, value_type> && !std::is_const_v<T>) Transfer
      assign(const NDArray<U>& source, const Stream& stream = {})
  const { return copy_in("assign", source.handle(), detail::Match::broadcast, stream); }
  template <detail::HostSource S>
  void assign(const S& source) const requires(!std::is_const_v<T>) {
    check_element<const S>();
    copy_in("assign", detail::host_handle(source), detail::Match::broadcast, {});
  }
  void assign(const value_type& value, const Stream& stream = {}) const requires(!std::is_const_v<T>) {
    fill(value, stream);
  }
  void fill(const value_type& value, const Stream& stream = {}) const requires(!std::is_const_v<T>) {
    detail::fill_elements("fill", this->handle_, this->dtype(), &value, stream);
  }

  /// A dense array of the same elements on the same device.
  NDArray<value_type> copy(Order order = Order::K, const Stream& stream = {}) const {
    return NDArray<value_type>(detail::copy_dense("copy", this->handle_, this->dtype(), order, stream));
  }
  /// Converts each element by NumPy's rules; out of range saturates and NaN becomes 0 when the target is an integer.
  template <Element U>
  NDArray<U> astype(Order order = Order::K, const Stream& stream = {}) const {
    return NDArray<U>(detail::convert_elements(this->handle_, this->dtype(), dtype_of<U>(), order, stream));
  }
  /// One element's value. Always complete on return.
  template <detail::Integer... I>
  value_type item(I... index) const {
    const NDArray element = this->view(index...);
    if (element.ndim() != 0) detail::throw_rank_mismatch("item", sizeof...(I), this->layout());
    value_type value{};
    element.copy_out("item", detail::borrow_host(&value, Layout::contiguous({}, sizeof(T))), {});
    return value;
  }

  /// For kernels: an accessor of this array's rank.
  /// @throws ShapeError for another rank; LayoutError when is_aligned() is false
  template <std::size_t Rank>
  DeviceView<T, Rank> device_view() const {
    if (this->ndim() != Rank) detail::throw_rank_mismatch("device_view", Rank, this->layout());
    return {this->data(), this->shape().data(), this->strides().data()};
  }

 private:
  template <class H>
  static constexpr void check_element() {
    static_assert(std::is_same_v<std::remove_cv_t<detail::host_operand_element_t<H>>, value_type>,
                  "ferry: both sides of a copy must have the same element type; convert with astype");
  }
  template <class H>
  static constexpr void check_lifetime() {
    static_assert(std::is_lvalue_reference_v<H> || detail::is_host_array<std::remove_cvref_t<H>>,
                  "ferry: an asynchronous copy needs memory that outlives the call, and a temporary does not");
  }
  HostArray<value_type> host_like() const {
    return HostArray<value_type>(detail::allocate_array("copy_to_host", this->layout().dense_like(Order::K),
                                                        {.kind = MemoryKind::pageable, .device = Device("host")}));
  }
  Transfer copy_out(const char* call, const detail::ArrayHandle& to, const Stream& stream) const {
    return detail::copy_elements(call, to, this->dtype(), this->handle_, this->dtype(), detail::Match::equal, stream,
                                 this->handle_);
  }
  Transfer copy_in(const char* call, const detail::ArrayHandle& from, detail::Match match, const Stream& stream) const {
    return detail::copy_elements(call, this->handle_, this->dtype(), from, this->dtype(), match, stream, this->handle_);
  }
};

/// An uninitialised array on a device.
/// @throws ShapeError, LayoutError for strides whose elements alias, OutOfMemory, BackendUnavailable
template <Element T = double>
NDArray<T> device_array(const Shape& shape, const Alloc& options = {}) {
  return NDArray<T>(detail::allocate_array(
      "device_array", detail::layout_for("device_array", shape, options.strides, options.order, sizeof(T)),
      {MemoryKind::device, options.stream, options.device, options.resource, options.label}));
}

/// An uninitialised dense array with the shape, element type, axis order and device of another. A host array has no
/// device to pass on: `options` or default_device() decides.
template <class T>
NDArray<std::remove_const_t<T>> device_array_like(const NDArray<T>& array, Alloc options = {.order = Order::K}) {
  if (!options.device.is_set() && !options.stream) options.device = array.device();
  return NDArray<std::remove_const_t<T>>(
      detail::allocate_array("device_array_like", array.layout().dense_like(options.order),
                             {MemoryKind::device, options.stream, options.device, options.resource, options.label}));
}
template <class T>
NDArray<std::remove_const_t<T>> device_array_like(const HostArray<T>& array,
                                                  const Alloc& options = {.order = Order::K}) {
  return NDArray<std::remove_const_t<T>>(
      detail::allocate_array("device_array_like", array.layout().dense_like(options.order),
                             {MemoryKind::device, options.stream, options.device, options.resource, options.label}));
}

/// Every element `value`; complete on return unless options name a stream.
template <Element T>
NDArray<T> full(const Shape& shape, const T& value, const Alloc& options = {}) {
  NDArray<T> result = device_array<T>(shape, options);
  result.fill(value, options.stream);
  return result;
}
/// Every byte zero: the value 0 of every arithmetic type.
template <Element T = double>
NDArray<T> zeros(const Shape& shape, const Alloc& options = {}) {
  return full<T>(shape, T{}, options);
}

/// Foreign memory as an array: `data` is element (0, …, 0), strides are bytes (none: dense, C order). `owner`, if any,
/// is released when the last view is gone and the work that Ferry knows of is done; without one the memory must outlive
/// the views. Memory of const elements gives a read-only array.
template <class T>
NDArray<T> wrap(T* data, const Shape& shape, const Strides& strides = {}, const Device& device = {},
                std::shared_ptr<void> owner = {}) {
  return NDArray<T>(detail::wrap_memory("wrap", const_cast<std::remove_const_t<T>*>(data), shape, strides, sizeof(T),
                                        MemoryKind::device, resolve(device), std::move(owner)));
}

}  // namespace ferry::inline v0
