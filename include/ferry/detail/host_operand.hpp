// What may stand for host memory in a call: HostArray, contiguous containers, C arrays; mapped and managed arrays too.
#pragma once

#include <type_traits>

#include "ferry/config.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/detail/array_kinds.hpp"
#include "ferry/host_array.hpp"
#include "ferry/record_type.hpp"

namespace ferry::inline v0::detail {

/// vector, array, span, string: data() and size(), and elements that can travel. begin() tells them from handles to
/// device memory, such as NDArray itself, whose data() the host must not read.
template <class R>
concept HostContainer = !is_shared_array<std::remove_cv_t<R>> && requires(R & r) {
  {r.data()};
  { r.size() } -> Integer;
  {r.begin()};
  requires std::is_pointer_v<decltype(r.data())>;
  requires Element<std::remove_pointer_t<decltype(r.data())>>;
};

// A C array, double[3][4] being of rank 2.
template <class R>
concept CArray = std::is_bounded_array_v<R>;

template <class R>
struct host_element {};
template <template <class> class Array, class T>
requires(is_shared_array<Array<T>>) struct host_element<Array<T>> {
  using type = T;
};
template <HostContainer R>
struct host_element<R> {
  using type = std::remove_pointer_t<decltype(std::declval<R&>().data())>;
};
template <CArray R>
struct host_element<R> {
  using type = std::remove_all_extents_t<R>;
};

/// The element type of a host operand, const when it may only be read.
template <class R>
using host_element_t = typename host_element<std::remove_reference_t<R>>::type;

template <class R>
concept HostSource = is_shared_array<std::remove_cvref_t<R>> || HostContainer<std::remove_reference_t<R>> ||
    CArray<std::remove_reference_t<R>>;

template <class R>
struct strip_array_const {
  using type = std::remove_reference_t<R>;
};
template <class A>
requires(is_shared_array<A>) struct strip_array_const<const A> {
  using type = A;  // a handle's constness is not its elements'
};
template <class R>
using host_operand_element_t =
    typename host_element<typename strip_array_const<std::remove_reference_t<R>>::type>::type;

template <class R>
concept HostDestination = HostSource<R> && !std::is_const_v<host_operand_element_t<R>>;

/// A handle for the length of one call.
template <HostSource R>
ArrayHandle host_handle(const R& operand) {
  if constexpr (is_shared_array<R>) {
    return operand.handle();
  } else if constexpr (CArray<R>) {
    return borrow_host(&operand, Layout::contiguous(member_shape<R>(), sizeof(std::remove_all_extents_t<R>)));
  } else {
    return borrow_host(operand.data(), Layout::contiguous(Shape(operand.size()), sizeof(*operand.data())));
  }
}

}  // namespace ferry::inline v0::detail
