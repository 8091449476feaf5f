// NDArray: an n-dimensional array in device memory.
#pragma once

#include "ferry/config.hpp"
#include "ferry/detail/device_array_base.hpp"
#include "ferry/host_array.hpp"
#include "ferry/options.hpp"

namespace ferry::inline v0 {

/// An array in device memory: no element access from the host, since a host dereference of device memory is what GPU
/// programs die of. A shared handle, as in NumPy and CuPy: copies alias, copy() copies, the last handle frees in
/// stream order. Calls that name a stream are asynchronous on it; all others use the bound stream, else the device's
/// legacy default stream, and are complete on return. Shape and dtype are checked before anything is touched.
template <class T>
class NDArray : public detail::DeviceArrayBase<NDArray, T> {
  using Base = detail::DeviceArrayBase<NDArray, T>;

 public:
  using Base::Base;
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

template <class A>
requires(detail::is_two_faced<A>) NDArray<typename A::value_type> device_array_like(const A& array,
                                                                                    Alloc options = {
                                                                                        .order = Order::K}) {
  return device_array_like(array.device(), std::move(options));
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
