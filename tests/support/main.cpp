#include <gtest/gtest.h>

#include <ferry/backend/registry.hpp>
#include <ferry/testing.hpp>

#include "support/toy_backend.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ferry::backend::register_backend(ferry::test::make_toy_backend());
  ::testing::AddGlobalTestEnvironment(new ferry::LeakCheck);
  return RUN_ALL_TESTS();
}
