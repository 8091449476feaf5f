#include "ferry/backend/fault.hpp"

#include <string>

namespace ferry::inline v0::backend::fault {

void raise(std::string_view backend, const char* call, const Fault& fault, const char* why, bool fatal) {
  throw DeviceError(std::string(backend) + ": " + call + " (" + why + ")", fault.code, fault.name, fatal);
}

bool means_gone(const DeviceError& error) noexcept {
  return error.fatal() && (error.code() == initialization.code || error.code() == unloading.code ||
                           error.code() == context_destroyed.code);
}

}  // namespace ferry::inline v0::backend::fault
