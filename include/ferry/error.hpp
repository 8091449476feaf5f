// Every error that Ferry throws, and the sink for those that have nowhere to be thrown.
#pragma once

#include <stdexcept>
#include <string>

#include "ferry/config.hpp"

namespace ferry::inline v0 {

/// Base of all errors. The text names the call, the operands' shapes, strides and dtypes, and what to do.
class FERRY_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;
};

/// Shapes that do not fit together, negative or overflowing extents, an axis that is not there.
class FERRY_EXPORT ShapeError : public Error {
 public:
  using Error::Error;
  ~ShapeError() override;
};

/// Strides that a call cannot work with: a copy that was forbidden, aliasing elements, memory outside the allocation.
class FERRY_EXPORT LayoutError : public Error {
 public:
  using Error::Error;
  ~LayoutError() override;
};

/// Element types that differ, or a field that is not there.
class FERRY_EXPORT DTypeError : public Error {
 public:
  using Error::Error;
  ~DTypeError() override;
};

/// An index out of range, too many indices, or a step of zero.
class FERRY_EXPORT IndexError : public Error {
 public:
  using Error::Error;
  ~IndexError() override;
};

/// Memory, a stream or a device that a call may not touch: the wrong space, read-only memory.
class FERRY_EXPORT AccessError : public Error {
 public:
  using Error::Error;
  ~AccessError() override;
};

/// Something used after its end: an empty handle, a closed scope, a freed block.
class FERRY_EXPORT LifetimeError : public Error {
 public:
  using Error::Error;
  ~LifetimeError() override;
};

/// A file or a foreign descriptor that is damaged, or says what cannot be true.
class FERRY_EXPORT FormatError : public Error {
 public:
  using Error::Error;
  ~FormatError() override;
};

/// A device whose backend this build lacks, or that this machine does not have. The text says how to get it.
class FERRY_EXPORT BackendUnavailable : public Error {
 public:
  using Error::Error;
  ~BackendUnavailable() override;
};

/// A failure that the device's driver reported.
class FERRY_EXPORT DeviceError : public Error {
 public:
  /// @param call   the driver call that failed
  /// @param code   the vendor's number for the error
  /// @param name   the vendor's name for the error
  /// @param fatal  the device cannot be used again in this process
  DeviceError(const std::string& call, int code, const std::string& name, bool fatal = false);
  ~DeviceError() override;
  int code() const noexcept { return code_; }
  const std::string& call() const noexcept { return call_; }
  const std::string& name() const noexcept { return name_; }
  /// True after a kernel fault or a lost device: every later call on the device fails too.
  bool fatal() const noexcept { return fatal_; }

 private:
  std::string call_, name_;
  int code_;
  bool fatal_;
};

/// An allocation that failed after everything cached was given back and a second try.
class FERRY_EXPORT OutOfMemory : public Error {
 public:
  /// All sizes in bytes. `where` names the device and the kind of memory; `largest` lists the largest live labels.
  OutOfMemory(const std::string& where, std::size_t asked, std::size_t free, std::size_t total,
              const std::string& largest = {});
  ~OutOfMemory() override;
  std::size_t asked() const noexcept { return asked_; }
  std::size_t free() const noexcept { return free_; }
  std::size_t total() const noexcept { return total_; }

 private:
  std::size_t asked_, free_, total_;
};

/// Receives the text of an error that could not be thrown: from a destructor, or of a transfer nobody waited for.
using ErrorSink = void (*)(const char* message) noexcept;

/// Sets the sink and returns the former one. Null restores the default, which writes a line to stderr.
FERRY_EXPORT ErrorSink set_error_sink(ErrorSink sink) noexcept;

/// Hands a text to the sink. For backends and memory resources, on ways out that must not throw.
FERRY_EXPORT void report_error(const char* message) noexcept;

}  // namespace ferry::inline v0
