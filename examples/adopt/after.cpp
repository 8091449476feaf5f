// The same program after it has adopted Ferry for its input and output; its kernels are as they were. The files are
// NumPy's: they say their sizes and types themselves.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>
#include <string>

#include "../kokkos_session.hpp"
#include "erosion.hpp"

namespace {

erosion::Heights read_heights(const std::string& path) {
  const auto file = ferry::load_npy<std::int16_t>(path);
  const erosion::Heights heights("heights", static_cast<std::size_t>(file.shape()[0]),
                                 static_cast<std::size_t>(file.shape()[1]));
  ferry::kokkos::deep_copy(heights, file);  // to the device, from rows to columns, from whole numbers to double
  return heights;
}

void write_heights(const std::string& path, const erosion::Heights& heights) {
  Kokkos::fence();  // Ferry does not know of the kernels
  ferry::save_npy(path, ferry::kokkos::wrap(heights));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: adopt_after INPUT.npy OUTPUT.npy STEPS\n");
    return 2;
  }
  const examples::KokkosSession kokkos;
  try {
    const erosion::Heights heights = read_heights(argv[1]);
    erosion::erode(heights, std::stoi(argv[3]));
    write_heights(argv[2], heights);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "adopt_after: %s\n", error.what());
    return 1;
  }
}
