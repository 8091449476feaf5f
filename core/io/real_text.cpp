#include "core/io/real_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "ferry/backend/float_formats.hpp"

namespace ferry::inline v0::io {

namespace {

template <class T>
T load_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Enough for the largest long double in positional notation.
constexpr std::size_t buffer_size = 5200;

template <class T, class... Precision>
std::string text_of(T value, std::chars_format format, Precision... precision) {
  char small[128];
  const auto attempt = std::to_chars(small, small + sizeof small, value, format, precision...);
  if (attempt.ec == std::errc()) return {small, attempt.ptr};
  std::string large(buffer_size, '\0');
  large.resize(static_cast<std::size_t>(
      std::to_chars(large.data(), large.data() + large.size(), value, format, precision...).ptr - large.data()));
  return large;
}

double from_text(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <class Short>
Short shorten(double value) {
  if constexpr (std::is_same_v<Short, backend::Half>) return backend::to_half(value);
  if constexpr (std::is_same_v<Short, backend::BFloat>) return backend::to_bfloat(value);
}

// The library knows no shortest digits for 16-bit formats. The double nearest to them is found instead: its own
// shortest digits are the same. Digits are tried in growing number; beside the nearest decimal its two neighbours,
// because below a power of two the numbers lie closer than above.
template <class Short>
double shortest_of(double value) {
  const auto bits = shorten<Short>(value).bits;
  for (int digits = 0; digits < 9; ++digits) {
    const std::string nearest = text_of(value, std::chars_format::scientific, digits);
    double best = 0;
    bool found = false;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - digits);
    for (const int step : {0, -1, 1}) {
      const double candidate =
          from_text(text_of(from_text(nearest) + step * unit, std::chars_format::scientific, digits));
      if (shorten<Short>(candidate).bits != bits) continue;
      if (!found || std::abs(candidate - value) < std::abs(best - value)) best = candidate;
      found = true;
    }
    if (found) return best;
  }
  return value;
}

std::string shortest_text(const Real& x) {
  constexpr auto format = std::chars_format::scientific;
  const auto value = static_cast<double>(x.value);
  switch (x.format) {
    case Real::Format::half:
      return text_of(value == 0 ? value : shortest_of<backend::Half>(value), format);
    case Real::Format::brain:
      return text_of(value == 0 ? value : shortest_of<backend::BFloat>(value), format);
    case Real::Format::binary32:
      return text_of(static_cast<float>(value), format);
    case Real::Format::binary64:
      return text_of(value, format);
    case Real::Format::extended:
      break;
  }
  return text_of(x.value, format);
}

Decimal decimal_of(const std::string& text) {
  Decimal result;
  std::size_t at = 0;
  if (text[0] == '-') {
    result.negative = true;
    at = 1;
  }
  const std::size_t exponent = std::min(text.find('e'), text.size());
  const std::size_t point = std::min(text.find('.'), exponent);
  result.whole = text.substr(at, point - at);
  if (point < exponent) result.fraction = text.substr(point + 1, exponent - point - 1);
  if (exponent < text.size()) result.exponent = text.substr(exponent + 1);
  while (!result.fraction.empty() && result.fraction.back() == '0') result.fraction.pop_back();
  return result;
}

bool exceeds(const Decimal& decimal, int precision) {
  return precision != unlimited && decimal.fraction.size() > static_cast<std::size_t>(precision);
}

// 1.25e+01 as 12.5. Not the library's own fixed notation, which fills up with exact digits.
Decimal without_exponent(const Decimal& decimal) {
  int exponent = 0;
  const char* digits = decimal.exponent.data() + (decimal.exponent[0] == '+' ? 1 : 0);
  std::from_chars(digits, decimal.exponent.data() + decimal.exponent.size(), exponent);
  Decimal result;
  result.negative = decimal.negative;
  const std::string all = decimal.whole + decimal.fraction;
  if (exponent < 0) {
    result.whole += '0';
    result.fraction.assign(static_cast<std::size_t>(-exponent - 1), '0');
    result.fraction += all;
    return result;
  }
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  result.whole = all.substr(0, whole);
  result.whole.append(whole - result.whole.size(), '0');
  if (all.size() > whole) result.fraction = all.substr(whole);
  return result;
}

}  // namespace

Real Real::load(Kind kind, index_t itemsize, const std::byte* at) {
  if (kind == Kind::brain) return {Format::brain, backend::to_float(load_as<backend::BFloat>(at))};
  if (itemsize == 2) return {Format::half, backend::to_float(load_as<backend::Half>(at))};
  if (itemsize == 4) return {Format::binary32, load_as<float>(at)};
  if (itemsize == 8) return {Format::binary64, load_as<double>(at)};
  return {Format::extended, load_as<long double>(at)};
}

bool Real::is_finite() const noexcept {
  return std::isfinite(value);
}

long double Real::over(const Real& other) const noexcept {
  switch (format) {
    case Format::half:
      return backend::to_float(backend::to_half(static_cast<double>(value) / static_cast<double>(other.value)));
    case Format::brain:
    case Format::binary32:
      return static_cast<float>(value) / static_cast<float>(other.value);
    case Format::binary64:
      return static_cast<double>(value) / static_cast<double>(other.value);
    case Format::extended:
      break;
  }
  return value / other.value;
}

Decimal positional(const Real& x, int precision, bool exact_whole) {
  Decimal result = without_exponent(decimal_of(shortest_text(x)));
  if (exceeds(result, precision)) return decimal_of(text_of(x.value, std::chars_format::fixed, precision));
  if (exact_whole && result.fraction.empty()) return decimal_of(text_of(x.value, std::chars_format::fixed, 0));
  return result;
}
Decimal scientific(const Real& x, int precision, int least) {
  const Decimal result = decimal_of(shortest_text(x));
  const bool too_short = result.fraction.size() < static_cast<std::size_t>(least);
  if (!too_short && !exceeds(result, precision)) return result;
  Decimal exact = decimal_of(text_of(x.value, std::chars_format::scientific, too_short ? least : precision));
  exact.fraction.resize(std::max(exact.fraction.size(), static_cast<std::size_t>(least)), '0');
  return exact;
}

std::string non_finite_text(const Real& x, bool sign) {
  if (x.value != x.value) return sign ? "+nan" : "nan";
  return x.value < 0 ? "-inf" : sign ? "+inf" : "inf";
}

std::string lone_text(const Real& x, bool sign, bool trim) {
  if (!x.is_finite()) return non_finite_text(x, sign);
  const long double magnitude = std::abs(x.value);
  const bool is_positional = magnitude == 0 || (magnitude >= 1e-4L && magnitude < 1e16L);
  const Decimal decimal = is_positional ? positional(x, unlimited, false) : scientific(x, unlimited);
  std::string text = decimal.negative ? "-" : sign ? "+" : "";
  text += decimal.whole;
  if (!decimal.fraction.empty()) {
    text += '.';
    text += decimal.fraction;
  } else if (is_positional && !trim) {
    text += ".0";
  }
  if (!is_positional) text += "e" + decimal.exponent;
  return text;
}

}  // namespace ferry::inline v0::io
