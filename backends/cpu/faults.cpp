#include "backends/cpu/faults.hpp"

#include "ferry/error.hpp"

namespace ferry::inline v0::backend::cpu {

namespace {
DeviceError make_error(const char* where, const char* call, const Fault& fault, const std::string& why, bool fatal) {
  return DeviceError(std::string(where) + ": " + call + " (" + why + ")", fault.code, fault.name, fatal);
}
}  // namespace

void raise(const char* where, const char* call, const Fault& fault, const std::string& why, bool fatal) {
  throw make_error(where, call, fault, why, fatal);
}

std::exception_ptr as_ferry_error(const char* where, std::exception_ptr error) {
  std::string what = "a task threw what is no std::exception";
  try {
    std::rethrow_exception(error);
  } catch (const Error&) {
    return error;
  } catch (const std::exception& other) {
    what = other.what();
  } catch (...) {
  }
  return std::make_exception_ptr(make_error(where, "run", launch_failure, what, false));
}

}  // namespace ferry::inline v0::backend::cpu
