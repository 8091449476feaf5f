#include "ferry/error.hpp"

#include <atomic>
#include <cstdio>

namespace ferry::inline v0 {

Error::~Error() = default;
ShapeError::~ShapeError() = default;
LayoutError::~LayoutError() = default;
DTypeError::~DTypeError() = default;
IndexError::~IndexError() = default;
AccessError::~AccessError() = default;
LifetimeError::~LifetimeError() = default;
FormatError::~FormatError() = default;
BackendUnavailable::~BackendUnavailable() = default;
DeviceError::~DeviceError() = default;
OutOfMemory::~OutOfMemory() = default;

DeviceError::DeviceError(const std::string& call, int code, const std::string& name, bool fatal)
    : Error("ferry: " + call + " failed: " + name + " (code " + std::to_string(code) + ")" +
            (fatal ? "; the device cannot be used again in this process" : "")),
      call_(call),
      name_(name),
      code_(code),
      fatal_(fatal) {}

OutOfMemory::OutOfMemory(const std::string& where, std::size_t asked, std::size_t free, std::size_t total,
                         const std::string& largest)
    : Error("ferry: out of memory on " + where + ": asked for " + std::to_string(asked) + " bytes, " +
            std::to_string(free) + " of " + std::to_string(total) + " free" +
            (largest.empty() ? "; label arrays to see here who holds the rest" : "; largest labels: " + largest)),
      asked_(asked),
      free_(free),
      total_(total) {}

namespace {
void write_to_stderr(const char* message) noexcept {
  std::fprintf(stderr, "%s\n", message);
}
std::atomic<ErrorSink> current_sink{write_to_stderr};
}  // namespace

ErrorSink set_error_sink(ErrorSink sink) noexcept {
  return current_sink.exchange(sink != nullptr ? sink : write_to_stderr);
}

void report_error(const char* message) noexcept {
  current_sink.load()(message);
}

}  // namespace ferry::inline v0
