// A device by name: "host", "cuda:0", "sim:1".
#pragma once

#include <string>
#include <string_view>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"

namespace ferry::inline v0 {

class MemoryResource;
enum class Pool : unsigned char;
class Stream;
namespace detail {
class DeviceState;
}

/// Names one device of one backend. A cheap value; devices live until the process ends.
class FERRY_EXPORT Device {
 public:
  /// No device named: whoever needs one takes default_device().
  Device() noexcept = default;
  /// "host", or "name:index" ("cuda" is "cuda:0").
  /// @throws BackendUnavailable saying what is missing and how to get it; AccessError for a malformed name
  explicit Device(std::string_view name);
  /// The device behind a memory space, for backends and glue.
  explicit Device(backend::MemorySpace& space);

  /// False for a default-constructed Device.
  bool is_set() const noexcept { return state_ != nullptr; }
  /// "cuda:0"; "host" for the host.
  std::string name() const;
  int index() const;
  /// Free and total device memory in bytes, as the driver sees it.
  MemoryInfo memory_info() const;
  /// Waits for all work on all streams of the device.
  void synchronize() const;

  /// The legacy default stream: naming it in a call makes the call asynchronous, as naming any stream does.
  Stream default_stream() const;

  /// Where memory of a kind comes from on this device unless a call names another resource.
  MemoryResource& resource(MemoryKind kind = MemoryKind::device) const;
  /// One of the device's built-in pools. Device memory comes from `driver` unless FERRY_POOL names another (`direct`,
  /// `driver`, `cached`) or set_resource does: device.set_resource(&device.pool(Pool::cached)).
  MemoryResource& pool(Pool pool, MemoryKind kind = MemoryKind::device) const;
  /// Gives back to the driver what all pools of the device keep unused. Waits for nothing: call synchronize() first to
  /// have everything freed counted as unused.
  void trim() const;
  /// Replaces it for later allocations; null restores the built-in one. `resource` must outlive what it gave out.
  void set_resource(MemoryResource* resource, MemoryKind kind = MemoryKind::device) const;

  backend::MemorySpace& space() const;
  detail::DeviceState& state() const;

  /// Two unset devices are equal, and differ from every set one.
  friend bool operator==(const Device&, const Device&) noexcept = default;

 private:
  friend class Stream;
  friend class detail::DeviceState;
  detail::DeviceState* state_ = nullptr;
};

/// The device that FERRY_DEVICE names, else the first GPU that works, else the host.
FERRY_EXPORT Device default_device();
/// `device`, or default_device() when it is not set.
FERRY_EXPORT Device resolve(const Device& device);

}  // namespace ferry::inline v0
