// Reads a height map written by NumPy, works on it on a device, and writes what NumPy and a person can look at.
#include <ferry/ferry.hpp>

#include "bodies.hpp"
#include "program.hpp"
#include "terrain.hpp"

namespace {

void run_kernels(const terrain::OnDevice& work) {
  const auto h = work.heights.device_view<2>();
  const auto s = work.statistics.device_view<2>();
  const auto r = work.relief.device_view<2>();
  const ferry::index_t rows = h.extent(0), columns = h.extent(1);
  ferry::for_each_index(work.stream, {columns}, terrain::ColumnStatistics<decltype(h), decltype(s)>{h, s, rows});
  ferry::for_each_index(work.stream, {rows, columns},
                        terrain::Light<decltype(h), decltype(r)>{h, r, rows, columns, terrain::Spacing{}});
}

}  // namespace

int main(int argc, char** argv) {
  return terrain::program("terrain", argc, argv, run_kernels);
}
