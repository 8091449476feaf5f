// MappedArray: an n-dimensional array in page-locked host memory that the device sees.
#pragma once

#include "ferry/config.hpp"
#include "ferry/detail/two_faced_array.hpp"
#include "ferry/options.hpp"

namespace ferry::inline v0 {

/// An array in page-locked host memory that kernels reach over the bus: host() is its face for the host, device() the
/// one for kernels, and its views have both too. A shared handle: copies alias, copy() copies into new mapped memory,
/// the last handle frees in stream order. Its own calls are the device's: asynchronous on a stream that they name, else
/// complete on return.
template <class T>
class MappedArray : public detail::TwoFacedArray<MappedArray, T> {
  using Base = detail::TwoFacedArray<MappedArray, T>;

 public:
  using Base::Base;
  MappedArray() = default;
  MappedArray(const MappedArray&) = default;
  MappedArray(MappedArray&&) noexcept = default;
  // Rebinding a temporary would look like writing to the view it names; assign() writes.
  MappedArray& operator=(const MappedArray&) & = default;
  MappedArray& operator=(MappedArray&&) & noexcept = default;
  ~MappedArray() = default;
  /// A read-only handle to the same elements.
  template <class U>
  requires(std::is_same_v<const U, T>) MappedArray(const MappedArray<U>& other)
      : Base(other.handle()) {}  // NOLINT(google-explicit-constructor)
};

/// An uninitialised array in page-locked memory that a device sees.
/// @throws ShapeError, LayoutError for strides whose elements alias, OutOfMemory; AccessError when the device cannot
/// reach host memory, or for flags beside a resource
template <Element T = double>
MappedArray<T> mapped_array(const Shape& shape, const MappedAlloc& options = {}) {
  return detail::allocate_two_faced<MappedArray, T>(
      "mapped_array", detail::layout_for("mapped_array", shape, options.strides, options.order, sizeof(T)),
      {MemoryKind::mapped,
       options.stream,
       options.device,
       options.resource,
       options.label,
       {.portable = options.portable, .write_combined = options.write_combined, .fine_grained = options.fine_grained}});
}

}  // namespace ferry::inline v0
