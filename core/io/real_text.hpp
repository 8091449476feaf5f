// Floating-point numbers as decimal text, by the rules that NumPy prints with. Independent of the locale.
#pragma once

#include <cstddef>
#include <string>

#include "ferry/dtype.hpp"

namespace ferry::inline v0::io {

/// A floating-point number together with its format, which decides how many digits tell it from its neighbours.
struct Real {
  enum class Format : unsigned char { half, brain, binary32, binary64, extended };
  Format format = Format::binary64;
  long double value = 0;  ///< exact: every format here fits

  /// `at` holds an element of a floating or brain dtype, or one part of a complex one of twice that size.
  static Real load(Kind kind, index_t itemsize, const std::byte* at);
  bool is_finite() const noexcept;
  /// This divided by `other`, rounded to their format.
  long double over(const Real& other) const noexcept;
};

/// Digits before and after the point, without a sign; in scientific notation an exponent follows.
struct Decimal {
  bool negative = false;
  std::string whole, fraction;
  std::string exponent;  ///< "+05", empty in positional notation
};

/// The fewest digits that read back as the same number, but no more than `precision` after the point: beyond, the exact
/// value is rounded, ties to even. No trailing zeros. `x` is finite. Before the point, digits that are not needed to
/// tell the number from its neighbours are zeros, unless `exact_whole`: of a 16-bit 4208, 4210.
Decimal positional(const Real& x, int precision, bool exact_whole);
/// The same, but with at least `least` digits after the point, which are those of the exact value.
Decimal scientific(const Real& x, int precision, int least = 0);
/// No limit on the digits.
inline constexpr int unlimited = -1;

/// "nan", "inf", "-inf"; with `sign`, "+nan" and "+inf".
std::string non_finite_text(const Real& x, bool sign);

/// A number that stands alone: 3.0, 0.1, 1e+16. `trim` drops the ".0", as in the parts of complex numbers.
std::string lone_text(const Real& x, bool sign, bool trim);

}  // namespace ferry::inline v0::io
