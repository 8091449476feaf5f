// How a copy would travel, and how long it should take, without making it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "ferry/config.hpp"
#include "ferry/detail/any_operand.hpp"

namespace ferry::inline v0 {

/// One way for a copy to go.
struct RouteForecast {
  std::string route;   ///< host, device, driver, locked_run, locked_span, pipeline, peer or relay
  double seconds = 0;  ///< NaN for peer and relay, whose ways are not measured
  std::string limit;   ///< what most of the time is spent on
};

/// What explain() finds. Printed by << as text for people, whose words may change.
struct Explanation {
  RouteForecast chosen;
  std::vector<RouteForecast> rejected;  ///< others that were weighed against it, if any
  index_t bytes = 0;                    ///< of the elements; 0 where there is nothing to do
  std::string text;
};
FERRY_EXPORT std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

namespace detail {
FERRY_EXPORT Explanation explain(const ArrayHandle& from, const DType& from_dtype, const ArrayHandle& to,
                                 const DType& to_dtype, const Stream& stream);
}  // namespace detail

/// The way that a copy of `from` into `to` takes (docs/performance.md tells of each), with the time that it should take
/// by the machine's speeds, which are measured at the first call for a device: some milliseconds. `stream` is one that
/// would be named in the call. Elements are neither read nor written; nothing is queued on a stream of the caller's.
/// @throws what the copy itself throws for operands that do not fit
template <detail::AnyOperand From, detail::AnyOperand To>
Explanation explain(const From& from, const To& to, const Stream& stream = {}) {
  return detail::explain(detail::any_handle(from), dtype_of<detail::any_element_t<From>>(), detail::any_handle(to),
                         dtype_of<detail::any_element_t<To>>(), stream);
}

}  // namespace ferry::inline v0
