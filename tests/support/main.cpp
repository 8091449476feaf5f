#include <gtest/gtest.h>

#include <cstdlib>
#include <ferry/backend/registry.hpp>
#include <ferry/testing.hpp>

#include "support/toy_backend.hpp"

int main(int argc, char** argv) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // a forked process may not use a device that its parent used
  ::testing::InitGoogleTest(&argc, argv);
  ::setenv("FERRY_SIM_DEVICES", "2", 0);  // some tests need a neighbour
  ferry::backend::register_backend(ferry::test::make_toy_backend());
  ::testing::AddGlobalTestEnvironment(new ferry::LeakCheck);
  return RUN_ALL_TESTS();
}
