#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ferry/device.hpp>
#include <ferry/error.hpp>

// Without a device there is nothing to test here, and CTest is told so.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (::testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  setenv("FERRY_TEST_DEVICE", FERRY_TEST_VENDOR ":0", 0);
  try {
    static_cast<void>(ferry::Device(FERRY_TEST_VENDOR ":0"));
  } catch (const ferry::BackendUnavailable& error) {
    std::printf("skipped: %s\n", error.what());
    return 77;
  }
  return RUN_ALL_TESTS();
}
