// What MappedArray and ManagedArray share: memory with a face for the host and one for the device.
#pragma once

#include "ferry/config.hpp"
#include "ferry/detail/device_array_base.hpp"
#include "ferry/nd_array.hpp"

namespace ferry::inline v0::detail {

/// The calls of the array itself are those of NDArray, done by the device in the order of streams; host() gives the
/// elements to the host. Which of two addresses is meant is always said: there is no data() here.
template <template <class> class Array, class T>
class TwoFacedArray : public DeviceArrayBase<Array, T> {
  using Base = DeviceArrayBase<Array, T>;

 public:
  using Base::Base;

  /// The elements for the host: waits for all work that Ferry knows of on this memory (tell it of raw kernels with
  /// used_on), then returns a view. Work queued later is not waited for: call host() again, or synchronise its stream,
  /// before the elements are touched.
  /// @throws AccessError while a stream that is in use is being captured
  HostArray<T> host() const {
    wait_for_uses(this->handle_);
    return HostArray<T>(with_face(this->handle_, Face::host));
  }
  /// The elements for the device, at the address that kernels use, which need not be the host's. What the host has
  /// written before is seen by work queued afterwards. (The Device itself is device().device().)
  NDArray<T> device() const { return NDArray<T>(with_face(this->handle_, Face::device)); }

  /// Ambiguous: take host().data(), or for kernels device().data() or device_view().
  T* data() const = delete;
  T* contiguous_data() const = delete;

  /// Same shape, and all elements equal. Waits as host() does.
  friend bool operator==(const Array<T>& a, const Array<T>& b) { return a.host() == b.host(); }
  /// As NumPy prints it. Waits as host() does.
  template <class Out>
  requires requires(Out& out, const char* text) { out << text; }
  friend Out& operator<<(Out& out, const Array<T>& array) { return out << array.host(); }
};

/// A new array of memory that both sides reach.
template <template <class> class Array, class T>
Array<T> allocate_two_faced(const char* call, Layout layout, const AllocationRequest& request) {
  ArrayHandle handle = allocate_array(call, std::move(layout), request);
  handle.face = Face::both;
  return Array<T>(std::move(handle));
}

}  // namespace ferry::inline v0::detail
