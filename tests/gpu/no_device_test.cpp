// A build with a GPU backend on a machine without a GPU: nothing fails that need not, and what does says what to do.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ferry/backend/registry.hpp>
#include <ferry/ferry.hpp>
#include <string>

namespace ferry::test {
namespace {

constexpr const char* vendor = FERRY_TEST_VENDOR;

class NoDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (status().devices > 0) GTEST_SKIP() << "this machine has a device of " << vendor;
    unsetenv("FERRY_DEVICE");
  }
  static backend::BackendStatus status() {
    for (const auto& row : backend::backend_list()) {
      if (row.name == vendor) return row;
    }
    ADD_FAILURE() << "no row for " << vendor;
    return {};
  }
};

TEST_F(NoDevice, IsListedAsBuiltAndSaysWhyAndWhatToDo) {
  const auto row = status();
  EXPECT_TRUE(row.built);
  EXPECT_EQ(row.devices, 0);
  EXPECT_NE(row.reason.find("the driver reports"), std::string::npos) << row.reason;
  EXPECT_NE(row.reason.find("check that"), std::string::npos) << row.reason;
}

TEST_F(NoDevice, AskingForOneThrowsATypedErrorWithTheReason) {
  for (const char* const number : {"", ":0", ":7"}) {
    const std::string name = std::string(vendor) + number;
    try {
      static_cast<void>(Device(name));
      FAIL() << name;
    } catch (const BackendUnavailable& error) {
      EXPECT_NE(std::string(error.what()).find(status().reason), std::string::npos) << error.what();
    }
  }
}

TEST_F(NoDevice, TheDefaultDeviceIsTheHostAndWorks) {
  EXPECT_EQ(default_device().name(), "host");
  EXPECT_EQ(full({3, 4}, 2.5).transpose().copy().item(3, 2), 2.5);
}

TEST_F(NoDevice, TheEnvironmentThatAsksForOneIsNamed) {
  setenv("FERRY_DEVICE", vendor, 1);
  try {
    static_cast<void>(default_device());
    FAIL();
  } catch (const BackendUnavailable& error) {
    EXPECT_NE(std::string(error.what()).find("FERRY_DEVICE"), std::string::npos) << error.what();
  }
  unsetenv("FERRY_DEVICE");
}

}  // namespace
}  // namespace ferry::test
