// The work of the example: statistics of each column of a height map, and its relief as lit by the sun.
#pragma once

#include <cstdint>
#include <ferry/ferry.hpp>

namespace terrain {

using ferry::HostArray;
using ferry::index_t;
using ferry::NDArray;

/// What comes back from the device, in page-locked memory.
struct Result {
  HostArray<double> columns;       ///< (3, columns): least, greatest and mean height in metres
  HostArray<std::uint8_t> relief;  ///< the shape of the map: 0 is in shadow, 255 faces the sun
};

/// What the kernels work on, on one stream.
struct OnDevice {
  ferry::Stream stream;
  NDArray<std::int16_t> heights;
  NDArray<double> statistics;
  NDArray<std::uint8_t> relief;
};

/// Puts the heights on the device, has kernels(OnDevice) queue the work there, and takes both results back behind it.
template <class Kernels>
Result analyse(const ferry::Device& device, const HostArray<const std::int16_t>& heights, const Kernels& kernels) {
  const ferry::Stream stream(device);
  const index_t columns = heights.shape()[1];
  const OnDevice work{stream, ferry::to_device(heights, {.stream = stream, .label = "heights"}),
                      ferry::device_array<double>({index_t{3}, columns}, {.stream = stream, .label = "statistics"}),
                      ferry::device_array<std::uint8_t>(heights.shape(), {.stream = stream, .label = "relief"})};
  kernels(work);
  auto statistics_home = work.statistics.copy_to_host(stream);
  auto relief_home = work.relief.copy_to_host(stream);
  return {statistics_home.get(), relief_home.get()};
}

}  // namespace terrain
