// The existing code: soil creeps downhill. It knows Kokkos and nothing of Ferry.
#pragma once

#include <Kokkos_Core.hpp>
#include <utility>

namespace erosion {

using Exec = Kokkos::DefaultExecutionSpace;
using Heights = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;

struct Creep {
  Heights from, to;
  double part;
  KOKKOS_FUNCTION void operator()(const int i, const int j) const {
    const int rows = static_cast<int>(from.extent(0)), columns = static_cast<int>(from.extent(1));
    // Beyond the border it is as high as on it.
    const double up = from(i > 0 ? i - 1 : i, j), down = from(i + 1 < rows ? i + 1 : i, j);
    const double left = from(i, j > 0 ? j - 1 : j), right = from(i, j + 1 < columns ? j + 1 : j);
    to(i, j) = from(i, j) + part * (up + down + left + right - 4 * from(i, j));
  }
};

/// So many steps, after which `heights` has the result. Nothing is fenced.
inline void erode(const Heights& heights, int steps) {
  using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;
  const int rows = static_cast<int>(heights.extent(0)), columns = static_cast<int>(heights.extent(1));
  Heights from = heights, to("creep", heights.extent(0), heights.extent(1));
  for (int step = 0; step < steps; ++step) {
    Kokkos::parallel_for("creep", Policy({0, 0}, {rows, columns}), Creep{from, to, 0.2});
    std::swap(from, to);
  }
  if (steps % 2 == 1) Kokkos::deep_copy(heights, from);
}

}  // namespace erosion
