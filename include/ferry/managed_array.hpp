// ManagedArray: an n-dimensional array in memory that migrates between host and device.
#pragma once

#include "ferry/config.hpp"
#include "ferry/detail/two_faced_array.hpp"
#include "ferry/options.hpp"

namespace ferry::inline v0 {

/// An array whose pages move to whoever touches them: host() is its face for the host, device() the one for kernels. A
/// shared handle: copies alias, copy() copies into new managed memory, the last handle frees in stream order. Its own
/// calls are the device's: asynchronous on a stream that they name, else complete on return. Some devices forbid the
/// host to touch managed memory while any kernel runs, so portable programs call host() anew after queueing work.
template <class T>
class ManagedArray : public detail::TwoFacedArray<ManagedArray, T> {
  using Base = detail::TwoFacedArray<ManagedArray, T>;

 public:
  using Base::Base;
  ManagedArray() = default;
  ManagedArray(const ManagedArray&) = default;
  ManagedArray(ManagedArray&&) noexcept = default;
  // Rebinding a temporary would look like writing to the view it names; assign() writes.
  ManagedArray& operator=(const ManagedArray&) & = default;
  ManagedArray& operator=(ManagedArray&&) & noexcept = default;
  ~ManagedArray() = default;
  /// A read-only handle to the same elements.
  template <class U>
  requires(std::is_same_v<const U, T>) ManagedArray(const ManagedArray<U>& other)
      : Base(other.handle()) {}  // NOLINT(google-explicit-constructor)

  /// Moves the bytes that this view spans to the device ahead of their use: queued on the stream named, else the bound
  /// one, else the default stream, and not waited for. A hint; devices that cannot do it ignore it.
  void prefetch(const Stream& stream = {}) const { detail::prefetch(this->handle(), true, stream); }
  /// The same, to the host.
  void prefetch_to_host(const Stream& stream = {}) const { detail::prefetch(this->handle(), false, stream); }
};

/// An uninitialised array in memory that migrates between host and device.
/// @throws ShapeError, LayoutError for strides whose elements alias, OutOfMemory
template <Element T = double>
ManagedArray<T> managed_array(const Shape& shape, const Alloc& options = {}) {
  return detail::allocate_two_faced<ManagedArray, T>(
      "managed_array", detail::layout_for("managed_array", shape, options.strides, options.order, sizeof(T)),
      {MemoryKind::managed, options.stream, options.device, options.resource, options.label});
}

}  // namespace ferry::inline v0
