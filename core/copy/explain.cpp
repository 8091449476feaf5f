#include "ferry/explain.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string_view>

#include "core/copy/checked_copy.hpp"
#include "core/copy/cost.hpp"
#include "core/copy/driver_copy.hpp"
#include "core/copy/speeds.hpp"
#include "ferry/copy_threads.hpp"

namespace ferry::inline v0 {

namespace {

using copying::Path, copying::Route, copying::Side;

struct Words {
  std::string_view name, meaning;
};
constexpr Words words_of(Route route) {
  constexpr std::array<Words, 8> words{
      {{"host", "threads of the host copy the elements"},
       {"device", "the device copies them, by its driver as one run or by a kernel"},
       {"driver", "the driver moves them, in one call"},
       {"locked_run", "the driver moves the page-locked side as it lies, a kernel puts the elements in order"},
       {"locked_span", "the driver moves the page-locked side with its gaps, a kernel picks the elements out"},
       {"pipeline", "chunks are packed, moved and unpacked, all at a time"},
       {"peer", "packed on one device, sent to the other, unpacked there"},
       {"relay", "through page-locked memory of the host, one device after the other"}}};
  return words[static_cast<std::size_t>(route)];
}

// Three digits, and the unit that leaves one to three of them before the point.
std::string with_unit(double value, double step, std::initializer_list<const char*> units) {
  auto unit = units.begin();
  while (value >= step && unit + 1 != units.end()) value /= step, ++unit;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", value, *unit);
  return text.data();
}
std::string bytes_text(double bytes) {
  return with_unit(bytes, 1024, {"bytes", "KiB", "MiB", "GiB", "TiB"});
}
std::string rate_text(double rate) {
  return with_unit(rate / 1e6, 1000, {"MB/s", "GB/s", "TB/s"});
}
std::string time_text(double seconds) {
  return std::isnan(seconds) ? "unknown" : with_unit(seconds * 1e9, 1000, {"ns", "us", "ms", "s"});
}

std::string place_text(const Side& side) {
  return std::string(to_string(detail::kind_of(*side.array))) + " memory of " + detail::device_of(*side.array).name();
}

RouteForecast forecast(const Path& path, bool up, const Stream& stream) {
  const copying::Cost cost = copying::predict(path, up, stream);
  return {std::string(words_of(path.route).name), cost.seconds, cost.limit};
}

std::string forecast_text(const RouteForecast& forecast, index_t bytes) {
  std::string text = forecast.route + ", " + time_text(forecast.seconds);
  if (!std::isnan(forecast.seconds)) {
    text += ", " + rate_text(static_cast<double>(bytes) / forecast.seconds) + ", most of it for " + forecast.limit;
  }
  return text;
}

std::string speeds_text(const copying::Speeds& speeds, int threads) {
  if (std::isinf(speeds.memory)) return "fixed figures, since the device is simulated";
  std::string text = "these speeds: host memory " + rate_text(speeds.memory) + ", " +
                     with_unit(speeds.elements / 1e6, 1000, {"million", "billion"}) + " elements/s, " +
                     std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  if (!std::isinf(speeds.up)) {
    text += "; link " + rate_text(speeds.up) + " to the device, " + rate_text(speeds.down) +
            " back; within the device " + rate_text(speeds.device) + "; " + time_text(speeds.call) + " a call";
  }
  return text;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
  return out << explanation.text;
}

namespace detail {

Explanation explain(const ArrayHandle& from, const DType& from_dtype, const ArrayHandle& to, const DType& to_dtype,
                    const Stream& named) {
  const copying::CheckedCopy copy("explain", to, to_dtype, from, from_dtype, Match::broadcast, named, to.stream);
  Explanation found;
  found.text = "copy of " + from_dtype.name() + " " + from.layout.to_string() + "\n  from " + place_text(copy.from()) +
               " to " + place_text(copy.to());
  if (to.layout.nbytes() == 0 || copy.is_same_place()) {
    found.text += "\n  nothing to do";
    return found;
  }
  found.bytes = to.layout.nbytes();
  const bool up = copy.from().place.on_host;
  std::optional<Path> other;
  const Path path = copying::choose_path(copy.to(), copy.from(), copy.stream(), &other);
  found.chosen = forecast(path, up, copy.stream());
  found.text += ", " + bytes_text(static_cast<double>(found.bytes));
  if (copy.may_overlap()) found.text += "\n  the sides share memory, so the source is copied to a temporary first";
  const auto& planned = path.copy;
  found.text += "\n  planned as ";
  for (const index_t extent : planned.extents) found.text += std::to_string(extent) + " x ";
  found.text += std::to_string(planned.itemsize) + " bytes, steps of " + planned.to_strides.to_string() +
                " bytes in the target and " + planned.from_strides.to_string() + " in the source";
  found.text +=
      "\n  route " + forecast_text(found.chosen, found.bytes) + "\n    " + std::string(words_of(path.route).meaning);
  if (other) {
    found.rejected.push_back(forecast(*other, up, copy.stream()));
    found.text += "\n  rather than " + forecast_text(found.rejected.back(), found.bytes);
  }
  const int helpers = copying::helpers_for(copy.stream(), found.bytes);
  found.text += "\n  by " + speeds_text(copying::speeds_of(copy.stream().device().state(), helpers), helpers + 1);
  return found;
}

}  // namespace detail

}  // namespace ferry::inline v0
