// An array as a View and back, with the Kokkos that the installed package found.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>

int main(int argc, char** argv) {
  Kokkos::initialize(argc, argv);
  const ferry::NDArray<double> array = ferry::full<double>({6}, 1.5, {.device = ferry::Device("host")});
  const auto view = ferry::kokkos::view<double*>(array);
  view(4) = 7;
  const bool good = view.data() == array.data() && array.copy_to_host()(4) == 7;
  Kokkos::finalize();
  std::puts(good ? "ferry works" : "the View is not the array");
  return good ? 0 : 1;
}
