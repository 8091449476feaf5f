// The vendor's number of the error that a call throws.
#pragma once

#include <ferry/error.hpp>

namespace ferry::test {

/// The code of the DeviceError that f() throws; 0 when it throws none. Other errors pass.
template <class F>
int error_code(F&& f) {
  try {
    f();
  } catch (const DeviceError& error) {
    return error.code();
  }
  return 0;
}

}  // namespace ferry::test
