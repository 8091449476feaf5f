#include "ferry/backend/fault.hpp"

#include <string>

#include "ferry/error.hpp"

namespace ferry::inline v0::backend::fault {

void raise(std::string_view backend, const char* call, const Fault& fault, const char* why, bool fatal) {
  throw DeviceError(std::string(backend) + ": " + call + " (" + why + ")", fault.code, fault.name, fatal);
}

}  // namespace ferry::inline v0::backend::fault
