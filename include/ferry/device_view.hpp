// DeviceView: what a kernel captures to reach an array's elements.
#pragma once

#include <type_traits>

#include "ferry/config.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0 {

namespace detail {
[[noreturn]] FERRY_EXPORT void throw_device_index(const index_t* index, const index_t* extents, std::size_t rank);
}

/// A trivially copyable accessor of fixed rank and any strides. Owns nothing: the array must outlive the kernel, which
/// stream-ordered freeing sees to when the kernel runs on the array's stream (else call used_on). Indices are checked
/// where FERRY_BOUNDS_CHECK is set: on the host an IndexError, in a GPU kernel a trap.
template <class T, std::size_t Rank>
class DeviceView {
 public:
  DeviceView() = default;
  /// Strides in bytes; `data` is element (0, …, 0).
  DeviceView(T* data, const index_t* extents, const index_t* strides) : data_(data) {
    if constexpr (Rank > 0) {
      for (std::size_t axis = 0; axis < Rank; ++axis) {
        extents_[axis] = extents[axis];
        strides_[axis] = strides[axis];
      }
    }
  }

  template <class... I>
  requires(sizeof...(I) == Rank && (std::is_integral_v<I> && ...)) FERRY_FUNCTION T& operator()(I... index) const {
    const index_t list[Rank + 1] = {static_cast<index_t>(index)..., 0};
    index_t byte = 0;
    if constexpr (Rank > 0) {  // compilers warn of a loop that never runs
      for (std::size_t axis = 0; axis < Rank; ++axis) {
#if FERRY_BOUNDS_CHECK
        if (list[axis] < 0 || list[axis] >= extents_[axis]) out_of_range(list);
#endif
        byte += list[axis] * strides_[axis];
      }
    }
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(data_) + byte);
  }

  FERRY_FUNCTION index_t extent(int axis) const {
    return extents_[axis];
  }
  FERRY_FUNCTION index_t stride(int axis) const {
    return strides_[axis];
  }
  FERRY_FUNCTION T* data() const {
    return data_;
  }

 private:
#if FERRY_BOUNDS_CHECK
  FERRY_FUNCTION void out_of_range([[maybe_unused]] const index_t* index) const {
#if defined(__CUDA_ARCH__)
    __trap();
#elif defined(__HIP_DEVICE_COMPILE__)
    __builtin_trap();
#else
    detail::throw_device_index(index, extents_, Rank);
#endif
  }
#endif

  T* data_ = nullptr;
  index_t extents_[Rank > 0 ? Rank : 1] = {};
  index_t strides_[Rank > 0 ? Rank : 1] = {};
};

}  // namespace ferry::inline v0
