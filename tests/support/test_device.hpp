// The device that the array suites run on: the same tests, unchanged, for every backend.
#pragma once

#include <cstdlib>
#include <ferry/device.hpp>
#include <string>

namespace ferry::test {

/// What FERRY_TEST_DEVICE names, else the host.
inline std::string device_name() {
  const char* name = std::getenv("FERRY_TEST_DEVICE");
  return name != nullptr && *name != '\0' ? name : "host";
}
inline Device device() {
  return Device(device_name());
}

}  // namespace ferry::test
