// What the kernels of the example do at one point, whoever starts them: Ferry's loops or Kokkos. Accessors h(i, j) are
// DeviceViews or Kokkos Views.
#pragma once

#include <cstdint>
#include <ferry/ferry.hpp>

namespace terrain {

using ferry::index_t;

/// Distance between neighbouring rows and columns in metres.
struct Spacing {
  double row = 92.6;     // 3 arc-seconds of latitude
  double column = 74.3;  // 3 arc-seconds of longitude at 36.6 degrees north
};

/// Least, greatest and mean height of a column into s(0, j), s(1, j) and s(2, j).
template <class Heights, class Statistics>
struct ColumnStatistics {
  Heights h;
  Statistics s;
  index_t rows;

  FERRY_FUNCTION void operator()(const index_t j) const {
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
  }
};

/// The relief as lit by the sun.
///
/// The surface's normal is (-dz/dx, -dz/dy, 1); its cosine with the direction of the light is the brightness. The
/// light comes from the north-west, 45 degrees high, as cartographers have it: with rows running south, that is the
/// direction (-1, -1, sqrt 2) / 2 in (column, row, height). Slopes are exaggerated twofold, borders use the inner
/// neighbour.
template <class Heights, class Relief>
struct Light {
  Heights h;
  Relief r;
  index_t rows, columns;
  Spacing spacing;

  FERRY_FUNCTION void operator()(const index_t i, const index_t j) const {
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
  }
};

}  // namespace terrain
