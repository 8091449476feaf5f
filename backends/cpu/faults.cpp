#include "backends/cpu/faults.hpp"

#include <string>

#include "ferry/error.hpp"

namespace ferry::inline v0::backend::cpu {

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
  try {
    raise(where, "run", launch_failure, what);
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace ferry::inline v0::backend::cpu
