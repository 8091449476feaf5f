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

/// The shape of a C array: double[3][4] has (3, 4).
template <class M>
Shape member_shape() {
  return extents_of<M>(std::make_index_sequence<std::rank_v<M>>{});
}

// std::array is recognised by its shape, so that <array> need not be read here. It is an array member like any other
// unless somebody has described it as something else.
template <class M>
concept StdArrayLike = !HasDTypeOf<M> && !HasRecordFields<M> && std::is_class_v<M> && requires(M & array) {
  typename M::value_type;
  requires sizeof(M) == std::tuple_size<M>::value * sizeof(typename M::value_type);
  { array.data() } -> std::same_as<typename M::value_type*>;
};

/// The scalar at the bottom of a member and the axes above it: double[3][4] and std::array<double, 4>[3] are double and
/// (3, 4), a plain member its own type and ().
template <class M>
struct MemberShape {
  using Scalar = std::remove_cv_t<M>;
  static void append_to(Shape&) {}
};
template <class M, std::size_t N>
struct MemberShape<M[N]> {
  using Scalar = typename MemberShape<M>::Scalar;
  static void append_to(Shape& shape) {
    shape.push_back(static_cast<index_t>(N));
    MemberShape<M>::append_to(shape);
  }
};
template <StdArrayLike M>
struct MemberShape<M> : MemberShape<typename M::value_type[std::tuple_size<M>::value]> {};

template <class M>
using member_scalar_t = typename MemberShape<std::remove_cv_t<M>>::Scalar;
template <class M>
Shape shape_of_member() {
  Shape shape;
  MemberShape<std::remove_cv_t<M>>::append_to(shape);
  return shape;
}

// Whether C has the members of B. A union is no base, not even of itself.
template <class B, class C>
inline constexpr bool has_members_of = std::is_same_v<B, C> || std::is_base_of_v<B, C>;

// The derived class is named, since &Derived::inherited has the type of a pointer into the base.
template <class C, class M, class B>
Field describe_field(std::string_view name, M B::*member) {
  static_assert(has_members_of<B, C>);
  return {std::string(name), dtype_of<member_scalar_t<M>>(), member_offset(static_cast<M C::*>(member)),
          shape_of_member<M>()};
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
/// Members may be scalars, enumerations, arrays (also std::array) or structs, of which those described before become
/// records within the record and others raw bytes; inherited ones may be named like the struct's own. The DType
/// follows, and with it .npy files and the other descriptors. Members not named are carried along as bytes.
#define FERRY_RECORD(Type, ...)                                                                                \
  [[maybe_unused]] inline ::ferry::DType ferry_record_dtype(::std::type_identity<Type>) {                      \
    return ::ferry::DType::record({FERRY_DETAIL_EXPAND(FERRY_DETAIL_FIELDS(Type, __VA_ARGS__))}, sizeof(Type), \
                                  alignof(Type));                                                              \
  }                                                                                                            \
  static_assert(::ferry::Element<Type>, "FERRY_RECORD: " #Type " must be trivially copyable and no pointer")
