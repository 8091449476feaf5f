// What may stand for an array of either side in a call that only reads: every array, and host containers.
#pragma once

#include "ferry/config.hpp"
#include "ferry/detail/host_operand.hpp"
#include "ferry/nd_array.hpp"

namespace ferry::inline v0::detail {

template <class A>
inline constexpr bool is_nd_array = false;
template <class T>
inline constexpr bool is_nd_array<NDArray<T>> = true;

template <class A>
concept AnyOperand = HostSource<const A&> || is_nd_array<A>;

template <class A>
struct any_element {
  using type = std::remove_cv_t<host_operand_element_t<const A>>;
};
template <class T>
struct any_element<NDArray<T>> {
  using type = std::remove_cv_t<T>;
};
/// The element type without const.
template <AnyOperand A>
using any_element_t = typename any_element<A>::type;

template <AnyOperand A>
ArrayHandle any_handle(const A& operand) {
  if constexpr (is_nd_array<A>) {
    return operand.handle();
  } else {
    return host_handle(operand);
  }
}

/// The elements where the host can read them: a view for the length of the call, or for device memory a copy. Waits for
/// the work that the array is known to be in use by.
template <AnyOperand A>
HostArray<const any_element_t<A>> on_host(const A& operand) {
  using T = any_element_t<A>;
  HostArray<const T> host;
  if constexpr (is_nd_array<A>) {
    host = operand.copy_to_host();
  } else if constexpr (is_two_faced<A>) {
    host = HostArray<const T>(operand.host().handle());
  } else {
    host = HostArray<const T>(host_handle(operand));
  }
  return host.is_aligned() ? host : HostArray<const T>(host.copy());
}

}  // namespace ferry::inline v0::detail
