#include "backends/host/host_errors.hpp"

#include <string>

#include "ferry/error.hpp"

namespace ferry::inline v0::backend::host_fault {

void raise(const char* call, const Fault& fault, const char* why) {
  throw DeviceError(std::string("host: ") + call + " (" + why + ")", fault.code, fault.name);
}

}  // namespace ferry::inline v0::backend::host_fault
