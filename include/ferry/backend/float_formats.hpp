// The two 16-bit floating formats, in software, for machines and compilers that lack them.
#pragma once

#include <bit>
#include <cstdint>

#include "ferry/config.hpp"

namespace ferry::inline v0::backend {

/// IEEE 754 binary16. Rounds to nearest, ties to even; keeps NaN, infinities and subnormals.
struct Half {
  std::uint16_t bits = 0;
};
/// The upper half of a binary32. Rounds the same way.
struct BFloat {
  std::uint16_t bits = 0;
};

FERRY_FUNCTION inline float to_float(BFloat x) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

FERRY_FUNCTION inline float to_float(Half x) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000u) << 16;
  const std::uint32_t exponent = x.bits >> 10 & 0x1fu, fraction = x.bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  // A subnormal is fraction * 2^-24, which a float holds exactly.
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

FERRY_FUNCTION inline BFloat to_bfloat(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>(bits >> 16 | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

/// From double, so that no value is rounded twice on its way from a double.
FERRY_FUNCTION inline Half to_half(double x) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000u);
  const auto magnitude = bits & 0x7fffffffffffffffu;
  constexpr std::uint64_t infinity = 0x7ff0000000000000u;
  if (magnitude > infinity) return Half{static_cast<std::uint16_t>(sign | (0x7e00u | (magnitude >> 42 & 0x3ffu)))};
  const auto exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent > 15) return Half{static_cast<std::uint16_t>(sign | (0x7c00u))};
  if (exponent < -25) return Half{static_cast<std::uint16_t>(sign | (0))};
  const std::uint64_t significand = (magnitude & 0xfffffffffffffu) | 0x10000000000000u;
  // Bits to drop: 42 for a normal half, more for a subnormal one.
  const int drop = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  const std::uint64_t kept = significand >> drop, rest = significand & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  std::uint64_t rounded = kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
  // A carry out of the significand rightly ends in the exponent.
  if (exponent >= -14) rounded += static_cast<std::uint64_t>(exponent + 14) << 10;
  return Half{static_cast<std::uint16_t>(sign | (rounded))};
}

/// From double without rounding twice: an inexact float keeps a sticky bit before it is rounded again.
FERRY_FUNCTION inline BFloat to_bfloat(double x) noexcept {
  const auto nearest = static_cast<float>(x);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  const auto back = static_cast<double>(nearest);
  if (x == x && back != x && (bits & 0x7fffffffu) < 0x7f800000u) {
    const bool away = back > x ? back > 0 : back < 0;  // the float lies farther from zero than x
    if (away) --bits;
    bits |= 1u;
  } else if (x == x && back != x) {
    // Too large for a float: rounds to infinity as a bfloat does, whose exponents are the same.
    return {static_cast<std::uint16_t>(bits >> 16)};
  }
  return to_bfloat(std::bit_cast<float>(bits));
}

}  // namespace ferry::inline v0::backend
