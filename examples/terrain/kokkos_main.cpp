// The same with Kokkos kernels: the arrays, the way there and back, and the bodies are those of terrain.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>

#include "../kokkos_session.hpp"
#include "bodies.hpp"
#include "program.hpp"
#include "terrain.hpp"

namespace {

using ferry::index_t;
using ferry::NDArray;
using ferry::kokkos::view_type;
using Exec = Kokkos::DefaultExecutionSpace;
using Heights = view_type<NDArray<std::int16_t>, const std::int16_t**>;
using Statistics = view_type<NDArray<double>, double**>;
using Relief = view_type<NDArray<std::uint8_t>, std::uint8_t**>;

/// Called with the instance that works in the order of the stream.
struct Kernels {
  terrain::ColumnStatistics<Heights, Statistics> statistics;
  terrain::Light<Heights, Relief> light;

  void operator()(const Exec& exec) const {
    using Line = Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>>;
    using Plane = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<index_t>>;
    Kokkos::parallel_for("column statistics", Line(exec, 0, light.columns), statistics);
    Kokkos::parallel_for("light", Plane(exec, {0, 0}, {light.rows, light.columns}), light);
  }
};

void run_kernels(const terrain::OnDevice& work) {
  using ferry::kokkos::view;
  const auto h = view<const std::int16_t**>(work.heights);
  const index_t rows = work.heights.shape()[0], columns = work.heights.shape()[1];
  ferry::kokkos::launch(work.stream, ferry::reads(work.heights), ferry::writes(work.statistics, work.relief),
                        Kernels{{h, view<double**>(work.statistics), rows},
                                {h, view<std::uint8_t**>(work.relief), rows, columns, terrain::Spacing{}}});
}

}  // namespace

int main(int argc, char** argv) {
  const examples::KokkosSession kokkos;
  return terrain::program("terrain_kokkos", argc, argv, run_kernels);
}
