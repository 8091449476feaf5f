#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <ferry/testing.hpp>

int main(int argc, char** argv) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  ::testing::InitGoogleTest(&argc, argv);
  ::setenv("FERRY_SIM_DEVICES", "2", 0);
  ::setenv("OMP_PROC_BIND", "false", 0);  // else Kokkos with OpenMP asks for it on stderr
  ::testing::AddGlobalTestEnvironment(new ferry::LeakCheck);
  Kokkos::initialize(argc, argv);
  const int result = RUN_ALL_TESTS();
  Kokkos::finalize();
  return result;
}
