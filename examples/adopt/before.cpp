// The existing program before it adopts Ferry: heights come and go as raw numbers of a size that the user must know,
// and each way is a mirror, a loop and a copy.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../kokkos_session.hpp"
#include "erosion.hpp"

namespace {

erosion::Heights read_heights(const std::string& path, std::size_t rows, std::size_t columns) {
  std::vector<std::int16_t> file(rows * columns);
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(file.data()), static_cast<std::streamsize>(file.size() * sizeof(std::int16_t)));
  if (!in) throw std::runtime_error("cannot read '" + path + "'");
  const erosion::Heights heights("heights", rows, columns);
  const auto mirror = Kokkos::create_mirror_view(heights);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) mirror(i, j) = file[i * columns + j];
  }
  Kokkos::deep_copy(heights, mirror);
  return heights;
}

void write_heights(const std::string& path, const erosion::Heights& heights) {
  const auto mirror = Kokkos::create_mirror_view(heights);
  Kokkos::deep_copy(mirror, heights);
  std::vector<double> file;
  file.reserve(heights.size());
  for (std::size_t i = 0; i < heights.extent(0); ++i) {
    for (std::size_t j = 0; j < heights.extent(1); ++j) file.push_back(mirror(i, j));
  }
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size() * sizeof(double)));
  if (!out.flush()) throw std::runtime_error("cannot write '" + path + "'");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: adopt_before INPUT.raw ROWS COLUMNS OUTPUT.raw STEPS\n");
    return 2;
  }
  const examples::KokkosSession kokkos;
  try {
    const erosion::Heights heights = read_heights(argv[1], std::stoul(argv[2]), std::stoul(argv[3]));
    erosion::erode(heights, std::stoi(argv[5]));
    write_heights(argv[4], heights);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "adopt_before: %s\n", error.what());
    return 1;
  }
}
