// FERRY_RECORD: names a struct's fields once.
#pragma once

#include <bit>
#include <cstddef>

#include "ferry/dtype.hpp"

namespace ferry::inline v0::detail {

// A pointer to a data member is the member's offset in every C++ ABI of the compilers that Ferry supports (Itanium);
// reading the offset this way needs no object, and makes no reference to a member that may be misaligned.
template <class M, class C>
index_t member_offset(M C::*member) noexcept {
  static_assert(sizeof(member) == sizeof(std::ptrdiff_t));
  return std::bit_cast<std::ptrdiff_t>(member);
}

template <class M, std::size_t... Axis>
Shape extents_of(std::index_sequence<Axis...>) {
  Shape shape = Shape::uninitialised(sizeof...(Axis));
  ((shape[Axis] = static_cast<index_t>(std::extent_v<M, Axis>)), ...);
  return shape;
}

/// The shape of an array member: double[3][4] has (3, 4), a plain member ().
template <class M>
Shape member_shape() {
  return extents_of<M>(std::make_index_sequence<std::rank_v<M>>{});
}

// Whether C has the members of B. A union is no base, not even of itself.
template <class B, class C>
inline constexpr bool has_members_of = std::is_same_v<B, C> || std::is_base_of_v<B, C>;

// The derived class is named, since &Derived::inherited has the type of a pointer into the base.
template <class C, class M, class B>
Field describe_field(std::string_view name, M B::*member) {
  static_assert(has_members_of<B, C>);
  return {std::string(name), dtype_of<std::remove_cv_t<std::remove_all_extents_t<M>>>(),
          member_offset(static_cast<M C::*>(member)), member_shape<M>()};
}

}  // namespace ferry::inline v0::detail

// Applies one more expansion to each name of a list; four levels of four reach 340 names.
#define FERRY_DETAIL_PARENS ()
#define FERRY_DETAIL_EXPAND(...) \
  FERRY_DETAIL_EXPAND3(FERRY_DETAIL_EXPAND3(FERRY_DETAIL_EXPAND3(FERRY_DETAIL_EXPAND3(__VA_ARGS__))))
#define FERRY_DETAIL_EXPAND3(...) \
  FERRY_DETAIL_EXPAND2(FERRY_DETAIL_EXPAND2(FERRY_DETAIL_EXPAND2(FERRY_DETAIL_EXPAND2(__VA_ARGS__))))
#define FERRY_DETAIL_EXPAND2(...) \
  FERRY_DETAIL_EXPAND1(FERRY_DETAIL_EXPAND1(FERRY_DETAIL_EXPAND1(FERRY_DETAIL_EXPAND1(__VA_ARGS__))))
#define FERRY_DETAIL_EXPAND1(...) __VA_ARGS__
#define FERRY_DETAIL_FIELDS(Type, name, ...)                \
  ::ferry::detail::describe_field<Type>(#name, &Type::name) \
      __VA_OPT__(, FERRY_DETAIL_FIELDS_AGAIN FERRY_DETAIL_PARENS(Type, __VA_ARGS__))
#define FERRY_DETAIL_FIELDS_AGAIN() FERRY_DETAIL_FIELDS

/// Describes a struct: FERRY_RECORD(Particle, x, y, mass), in the struct's own namespace, after its definition.
/// Members may be scalars, arrays, or structs described before; inherited ones may be named. The DType follows, and
/// with it .npy files and the other descriptors. Fields not named are carried along as bytes.
#define FERRY_RECORD(Type, ...)                                                                                \
  [[maybe_unused]] inline ::ferry::DType ferry_record_dtype(::std::type_identity<Type>) {                      \
    return ::ferry::DType::record({FERRY_DETAIL_EXPAND(FERRY_DETAIL_FIELDS(Type, __VA_ARGS__))}, sizeof(Type), \
                                  alignof(Type));                                                              \
  }                                                                                                            \
  static_assert(::ferry::Element<Type>, "FERRY_RECORD: " #Type " must be trivially copyable and no pointer")
