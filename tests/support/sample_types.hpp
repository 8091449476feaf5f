// Element types of all sizes, and a packed record whose members lie at addresses that their types cannot have.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <ferry/ferry.hpp>

#include "support/random_case.hpp"

namespace ferry::test {

/// Three bytes: no machine word.
struct Colour {
  std::uint8_t red, green, blue;
};

/// Without padding, so that copies by value keep every byte.
struct Body {
  double mass;
  std::int32_t id;
  float radius;
  float position[2];
};
FERRY_RECORD(Body, mass, id, radius, position);

#pragma pack(push, 1)
struct Packed {
  std::uint8_t tag;
  double x;
  std::int16_t id;
  float uv[2];
  std::uint8_t flags[3];
};
#pragma pack(pop)
FERRY_RECORD(Packed, tag, x, id, uv, flags);
static_assert(sizeof(Body) == 24 && sizeof(Packed) == 22);

using SampleTypes =
    ::testing::Types<std::uint8_t, std::int16_t, float, double, std::complex<double>, Colour, Body, Packed>;

/// Names the instances of typed tests, so that a replay's filter says what it means.
struct SampleNames {
  template <class T>
  static std::string GetName(int) {
    if (std::is_same_v<T, std::uint8_t>) return "uint8";
    if (std::is_same_v<T, std::int16_t>) return "int16";
    if (std::is_same_v<T, float>) return "float32";
    if (std::is_same_v<T, double>) return "float64";
    if (std::is_same_v<T, std::complex<double>>) return "complex128";
    if (std::is_same_v<T, Colour>) return "Colour";
    return std::is_same_v<T, Body> ? "Body" : "Packed";
  }
};

/// Any bytes, as a value.
template <class T>
T value_of(const Bytes& bytes) {
  T value;
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
  return value;
}

}  // namespace ferry::test
