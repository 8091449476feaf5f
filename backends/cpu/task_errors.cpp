#include "backends/cpu/task_errors.hpp"

#include <string>

#include "ferry/backend/fault.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::cpu {

std::exception_ptr as_ferry_error(const char* backend, std::exception_ptr error) {
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
    fault::raise(backend, "run", fault::launch_failure, what.c_str());
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace ferry::inline v0::backend::cpu
