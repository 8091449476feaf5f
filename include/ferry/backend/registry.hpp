// How the core finds backends: a table that the build makes from the folders, and more added at run time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"

namespace ferry::inline v0::backend {

/// The devices of one kind.
class FERRY_EXPORT Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend();
  /// "cuda", "host": the part before the colon of a device's name.
  virtual std::string_view name() const noexcept = 0;
  /// Number of usable devices; 0 when the driver is missing. Never throws.
  virtual int device_count() const noexcept = 0;
  /// Why device_count() is 0, and how to mend that.
  virtual std::string unavailable_reason() const = 0;
  /// Whether default_device() may choose it: true for real GPUs.
  virtual bool is_accelerator() const noexcept = 0;
  /// The device with 0 <= index < device_count(). Lives as long as the backend.
  virtual MemorySpace& space(int index) = 0;
};

/// A row of the table that the build writes. `make` is null for a backend that was not built, and `option` is the
/// CMake option that builds it.
struct BackendEntry {
  const char* name;
  Backend* (*make)();
  const char* option;
};

/// Adds a backend of the user's own. It is never destroyed: arrays of static lifetime may outlive any owner.
/// @throws Error when the name is taken
FERRY_EXPORT void register_backend(std::unique_ptr<Backend> backend);

/// What is known of a backend without using a device.
struct BackendStatus {
  std::string name;
  bool built = true;
  std::string option;  ///< the CMake option that builds it; empty when there is none
  int devices = 0;
  std::string reason;  ///< why there are no devices; empty when there are
};
/// Every backend that this build knows of, those included that were not built, and those added at run time. Wakes the
/// drivers of those that were.
FERRY_EXPORT std::vector<BackendStatus> backend_list();

/// The space behind "host" or "name:index".
/// @throws BackendUnavailable when the backend was not built (naming the option), has no devices, or not so many
FERRY_EXPORT MemorySpace& find_space(std::string_view device_name);

/// The space behind default_device(): what the environment variable FERRY_DEVICE names (read at each call, so that a
/// test may change it), else the first device of the first accelerator that has one, else the host.
FERRY_EXPORT MemorySpace& default_space();

}  // namespace ferry::inline v0::backend
