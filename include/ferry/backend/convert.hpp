// astype for one value: the same text on the CPU and in device kernels, so that every backend gives the same bits.
#pragma once

#include <complex>
#include <limits>
#include <tuple>
#include <type_traits>

#include "ferry/backend/float_formats.hpp"
#include "ferry/config.hpp"
#include "ferry/dtype.hpp"

namespace ferry::inline v0::backend {

/// Every scalar type between which values are converted.
using ScalarTypes =
    std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
               std::uint64_t, Half, BFloat, float, double, std::complex<float>, std::complex<double>, long double>;
inline constexpr std::size_t scalar_type_count = std::tuple_size_v<ScalarTypes>;
/// GPUs have all but the last, long double.
inline constexpr std::size_t gpu_scalar_type_count = scalar_type_count - 1;

/// The position of a dtype in ScalarTypes; scalar_type_count when it is none of them, or not in native byte order.
FERRY_EXPORT std::size_t scalar_type_index(const DType& dtype) noexcept;

namespace detail {
template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;
template <class T>
inline constexpr bool is_short_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;

// Out of range saturates and NaN becomes 0: C++ leaves both undefined, and machines differ.
template <class To, class From>
FERRY_FUNCTION constexpr To saturate(From x) noexcept {
  using Limits = std::numeric_limits<To>;
  // 2^digits is exact in every floating type here but half, which comes as a float.
  constexpr From beyond = static_cast<From>(std::uint64_t{1} << (Limits::digits - 1)) * 2;
  constexpr From lowest = Limits::is_signed ? -beyond : From{0};
  if (x != x) return 0;
  if (x >= beyond) return Limits::max();
  if (x <= lowest) return Limits::min();
  return static_cast<To>(x);
}
}  // namespace detail

/// The value of `x` as a To, by NumPy's rules; see StridedConvert.
template <class To, class From>
FERRY_FUNCTION To convert_value(From x) noexcept {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (detail::is_short_float<From>) {
    return convert_value<To>(to_float(x));
  } else if constexpr (std::is_same_v<To, bool> && detail::is_complex<From>) {
    return x.real() != 0 || x.imag() != 0;
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From{0};
  } else if constexpr (detail::is_complex<From> && detail::is_complex<To>) {
    using Part = typename To::value_type;
    return {convert_value<Part>(x.real()), convert_value<Part>(x.imag())};
  } else if constexpr (detail::is_complex<From>) {
    return convert_value<To>(x.real());  // NumPy drops the imaginary part too
  } else if constexpr (detail::is_complex<To>) {
    return {convert_value<typename To::value_type>(x), 0};
  } else if constexpr (std::is_same_v<To, Half>) {
    return to_half(static_cast<double>(x));
  } else if constexpr (std::is_same_v<To, BFloat>) {
    if constexpr (std::is_same_v<From, float>) {
      return to_bfloat(x);
    } else {
      return to_bfloat(static_cast<double>(x));
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return detail::saturate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace ferry::inline v0::backend
