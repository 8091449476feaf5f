#include "core/copy/cost.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/copy/driver_copy.hpp"
#include "core/copy/speeds.hpp"
#include "core/copy/tuning.hpp"

namespace ferry::inline v0::copying {

using backend::StridedCopy;

namespace {

// Memory comes in lines, which are read whole when one byte of them is asked for.
constexpr index_t host_line = 64, device_line = 32;

index_t product(const Dims& extents) {
  index_t n = 1;
  for (const index_t extent : extents) n *= extent;
  return n;
}

// Bytes of the lines that elements lie in, each line counted once for neighbours along the axis with the smallest
// stride.
double traffic(const Dims& extents, const Dims& strides, index_t itemsize, index_t line) {
  index_t nearest = line;
  for (const index_t stride : strides) nearest = std::min(nearest, std::max(std::abs(stride), itemsize));
  if (extents.empty()) nearest = itemsize;
  return static_cast<double>(product(extents)) * static_cast<double>(std::max(nearest, itemsize));
}

struct Step {
  double seconds;
  const char* what;
};
Cost all_of(std::initializer_list<Step> steps) {
  Cost cost;
  double most = -1;
  for (const Step& step : steps) {
    cost.seconds += step.seconds;
    if (step.seconds > most) most = step.seconds, cost.limit = step.what;
  }
  return cost;
}

// Rows that are worth a memcpy each go at memory's speed, short ones by their number.
Step on_host(double bytes, double elements, index_t itemsize, const Speeds& speeds) {
  const double by_bytes = bytes / speeds.memory, by_elements = itemsize < host_line ? elements / speeds.elements : 0;
  return by_bytes >= by_elements ? Step{by_bytes, "the host's memory"} : Step{by_elements, "the host's processors"};
}

Step by_kernel(const StridedCopy& copy, const Speeds& speeds) {
  const double read = traffic(copy.extents, copy.from_strides, copy.itemsize, device_line);
  const double written = traffic(copy.extents, copy.to_strides, copy.itemsize, device_line);
  return {(read + written) / 2 / speeds.device, "the device's memory"};
}

}  // namespace

Cost predict(const Path& path, bool up, const Stream& stream) {
  const StridedCopy& copy = path.copy;
  const index_t elements = product(copy.extents), bytes = elements * copy.itemsize;
  const Speeds speeds = speeds_of(stream.device().state(), helpers_for(stream, bytes));
  const double link = up ? speeds.up : speeds.down;
  const Step call{speeds.call, "the call"};
  const Step moved{static_cast<double>(bytes) / link, "the link"};
  switch (path.route) {
    case Route::host: {
      const double lines = traffic(copy.extents, copy.to_strides, copy.itemsize, host_line) +
                           traffic(copy.extents, copy.from_strides, copy.itemsize, host_line);
      return all_of({on_host(lines / 2, static_cast<double>(elements), copy.itemsize, speeds)});
    }
    case Route::device:
      return all_of({call, by_kernel(copy, speeds)});
    case Route::driver: {
      // Pageable memory passes through page-locked memory of the driver's.
      const Step passed{path.locked ? 0 : static_cast<double>(bytes) / speeds.memory, "the host's memory"};
      return all_of({call, moved, passed});
    }
    case Route::locked_run:
      return all_of({call, moved, by_kernel(copy, speeds)});
    case Route::locked_span: {
      const Cut cut = cut_span(*path.transfer);
      const double span = static_cast<double>(cut.count()) * static_cast<double>(host_span(cut.part(0)));
      return all_of({call, {span / link, "the link, gaps included"}, by_kernel(copy, speeds)});
    }
    case Route::pipeline: {
      const Box& box = path.transfer->box;
      const Step packed =
          on_host((traffic(box.extents, box.a_strides, box.itemsize, host_line) + static_cast<double>(bytes)) / 2,
                  static_cast<double>(product(box.extents)), box.itemsize, speeds);
      const Step &slow = packed.seconds > moved.seconds ? packed : moved, &fast = &slow == &packed ? moved : packed;
      const double first = std::min(1.0, static_cast<double>(tuning().chunk) / static_cast<double>(bytes));
      return all_of({call, slow, {fast.seconds * first, fast.what}});
    }
    case Route::peer:
    case Route::relay:
      break;
  }
  return {std::numeric_limits<double>::quiet_NaN(), "a way that is not measured"};
}

}  // namespace ferry::inline v0::copying
