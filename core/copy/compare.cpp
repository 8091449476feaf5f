#include "ferry/compare.hpp"

#include <cmath>

#include "core/copy/place.hpp"

namespace ferry::inline v0::detail {

bool is_close(long double a, long double b, const Tolerance& tolerance) noexcept {
  if (a == b) return true;  // also for infinities, whose difference is no number
  if (std::isnan(a) || std::isnan(b)) return tolerance.equal_nan && std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return false;
  return std::abs(a - b) <= tolerance.absolute + tolerance.relative * std::abs(b);
}

bool is_close(long double a_real, long double a_imag, long double b_real, long double b_imag,
              const Tolerance& tolerance) noexcept {
  if (a_real == b_real && a_imag == b_imag) return true;
  const bool a_nan = std::isnan(a_real) || std::isnan(a_imag), b_nan = std::isnan(b_real) || std::isnan(b_imag);
  if (a_nan || b_nan) return tolerance.equal_nan && a_nan && b_nan;
  const long double size = std::hypot(b_real, b_imag), difference = std::hypot(a_real - b_real, a_imag - b_imag);
  if (std::isinf(size) || std::isinf(std::hypot(a_real, a_imag))) return false;
  return difference <= tolerance.absolute + tolerance.relative * size;
}

bool shares_memory(const ArrayHandle& a, const ArrayHandle& b) {
  if (a.layout.empty() || b.layout.empty()) return false;
  const std::optional<index_t> distance = copying::distance(a, b);
  if (!distance) return false;
  return layouts::overlap(a.layout, b.layout.with_offset(b.layout.offset() + *distance)) != layouts::Overlap::no;
}

}  // namespace ferry::inline v0::detail
