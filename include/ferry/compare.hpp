// Comparisons of whole arrays, wherever they lie.
#pragma once

#include "ferry/config.hpp"
#include "ferry/detail/any_operand.hpp"

namespace ferry::inline v0 {

/// When two values count as close: |a - b| <= absolute + relative * |b|, NumPy's rule.
struct Tolerance {
  double relative = 1e-5;
  double absolute = 1e-8;
  bool equal_nan = false;  ///< whether NaN is close to NaN
};

namespace detail {
FERRY_EXPORT bool is_close(long double a, long double b, const Tolerance& tolerance) noexcept;
FERRY_EXPORT bool is_close(long double a_real, long double a_imag, long double b_real, long double b_imag,
                           const Tolerance& tolerance) noexcept;
/// Whether some byte belongs to both.
FERRY_EXPORT bool shares_memory(const ArrayHandle& a, const ArrayHandle& b);

template <class T>
bool is_close(const T& a, const T& b, const Tolerance& tolerance) noexcept {
  if constexpr (ComplexLike<T>) {
    return is_close(a.real(), a.imag(), b.real(), b.imag(), tolerance);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return is_close(static_cast<long double>(a), static_cast<long double>(b), tolerance);
  } else {
    return is_close(static_cast<long double>(static_cast<float>(a)), static_cast<long double>(static_cast<float>(b)),
                    tolerance);
  }
}

template <class A, class B>
constexpr void check_comparable() {
  static_assert(std::is_same_v<any_element_t<A>, any_element_t<B>>,
                "ferry: only arrays of the same element type are compared; convert with astype");
}
}  // namespace detail

/// Same shape, and all elements equal (so that NaN equals nothing; records without == are compared byte by byte).
/// Arguments are arrays of any kind, host containers or C arrays of one element type. Waits for the work that they are
/// known to be in use by; device memory is copied to the host.
template <detail::AnyOperand A, detail::AnyOperand B>
bool array_equal(const A& a, const B& b) {
  detail::check_comparable<A, B>();
  const Layout a_layout = detail::any_handle(a).layout, b_layout = detail::any_handle(b).layout;
  return a_layout.shape() == b_layout.shape() && detail::on_host(a) == detail::on_host(b);
}

/// Whether all elements are close, after broadcasting the shapes to each other. Infinities are close to themselves
/// alone. Reads as array_equal does.
/// @throws ShapeError for shapes that do not broadcast
template <detail::AnyOperand A, detail::AnyOperand B>
requires(std::is_arithmetic_v<detail::any_element_t<A>> || detail::ComplexLike<detail::any_element_t<A>> ||
         std::is_convertible_v<detail::any_element_t<A>, float>) bool allclose(const A& a, const B& b,
                                                                               const Tolerance& tolerance = {}) {
  detail::check_comparable<A, B>();
  const auto left = detail::on_host(a), right = detail::on_host(b);
  const Shape shape = layouts::broadcast_shapes(left.shape(), right.shape());
  const auto from = left.broadcast_to(shape), to = right.broadcast_to(shape);
  auto other = to.begin();
  for (const auto& value : from) {
    if (!detail::is_close(value, *other, tolerance)) return false;
    ++other;
  }
  return true;
}

/// Whether some byte belongs to an element of both arrays, whichever of its addresses each uses; gaps do not count.
/// Exact, but for strides so entangled that it cannot be decided in reasonable time: then true. Touches no memory.
template <detail::AnyOperand A, detail::AnyOperand B>
bool shares_memory(const A& a, const B& b) {
  return detail::shares_memory(detail::any_handle(a), detail::any_handle(b));
}

}  // namespace ferry::inline v0
