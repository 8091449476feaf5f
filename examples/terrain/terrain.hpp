// The work of the example: statistics of each column of a height map, and its relief as lit by the sun.
#pragma once

#include <ferry/ferry.hpp>

namespace terrain {

using ferry::HostArray;
using ferry::index_t;

/// What comes back from the device, in page-locked memory.
struct Result {
  HostArray<double> columns;       ///< (3, columns): least, greatest and mean height in metres
  HostArray<std::uint8_t> relief;  ///< the shape of the map: 0 is in shadow, 255 faces the sun
};

/// Distance between neighbouring rows and columns in metres.
struct Spacing {
  double row = 92.6;     // 3 arc-seconds of latitude
  double column = 74.3;  // 3 arc-seconds of longitude at 36.6 degrees north
};

/// Puts the heights on the device, works on them there, and takes both results back on one stream.
inline Result analyse(const ferry::Device& device, const HostArray<const std::int16_t>& heights,
                      const Spacing& spacing = {}) {
  const index_t rows = heights.shape()[0], columns = heights.shape()[1];
  const ferry::Stream stream(device);
  const auto map = ferry::to_device(heights, {.stream = stream, .label = "heights"});
  const auto statistics = ferry::device_array<double>({index_t{3}, columns}, {.stream = stream, .label = "statistics"});
  const auto relief = ferry::device_array<std::uint8_t>(map.shape(), {.stream = stream, .label = "relief"});

  const auto h = map.device_view<2>();
  const auto s = statistics.device_view<2>();
  ferry::for_each_index(stream, {columns}, [=] FERRY_FUNCTION(index_t j) {
    double least = h(0, j), greatest = h(0, j), sum = 0;
    for (index_t i = 0; i < rows; ++i) {
      const double height = h(i, j);
      if (height < least) least = height;
      if (height > greatest) greatest = height;
      sum += height;
    }
    s(0, j) = least;
    s(1, j) = greatest;
    s(2, j) = sum / static_cast<double>(rows);
  });

  // The surface's normal is (-dz/dx, -dz/dy, 1); its cosine with the direction of the light is the brightness. The
  // light comes from the north-west, 45 degrees high, as cartographers have it: with rows running south, that is the
  // direction (-1, -1, sqrt 2) / 2 in (column, row, height). Slopes are exaggerated twofold, borders use the inner
  // neighbour.
  const auto r = relief.device_view<2>();
  ferry::for_each_index(stream, map.shape(), [=] FERRY_FUNCTION(index_t i, index_t j) {
    const index_t up = i > 0 ? i - 1 : i, down = i + 1 < rows ? i + 1 : i;
    const index_t left = j > 0 ? j - 1 : j, right = j + 1 < columns ? j + 1 : j;
    const double exaggeration = 2;
    const double dz_dx =
        exaggeration * (h(i, right) - h(i, left)) / (static_cast<double>(right - left) * spacing.column);
    const double dz_dy = exaggeration * (h(down, j) - h(up, j)) / (static_cast<double>(down - up) * spacing.row);
    const double towards_light = (dz_dx + dz_dy + 1.4142135623730951) / 2;
    const double squared_length = dz_dx * dz_dx + dz_dy * dz_dy + 1;
    // cos² against cos² keeps the square root out, and with it the differences between machines' square roots.
    const double brightness = towards_light <= 0 ? 0 : towards_light * towards_light / squared_length;
    r(i, j) = static_cast<std::uint8_t>(brightness * 255 + 0.5);
  });

  auto statistics_home = statistics.copy_to_host(stream);
  auto relief_home = relief.copy_to_host(stream);
  return {statistics_home.get(), relief_home.get()};
}

}  // namespace terrain
