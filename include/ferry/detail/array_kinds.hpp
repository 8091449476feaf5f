// Which types are arrays, and on which side their elements are reached.
#pragma once

#include "ferry/config.hpp"

namespace ferry::inline v0 {

template <class T>
class HostArray;
template <class T>
class NDArray;
template <class T>
class MappedArray;
template <class T>
class ManagedArray;

namespace detail {

/// Arrays that host and device both reach.
template <class A>
inline constexpr bool is_two_faced = false;
template <class T>
inline constexpr bool is_two_faced<MappedArray<T>> = true;
template <class T>
inline constexpr bool is_two_faced<ManagedArray<T>> = true;

/// Arrays that the host reaches: handles that share in their memory, so that work in flight keeps it alive.
template <class A>
inline constexpr bool is_shared_array = is_two_faced<A>;
template <class T>
inline constexpr bool is_shared_array<HostArray<T>> = true;

}  // namespace detail
}  // namespace ferry::inline v0
