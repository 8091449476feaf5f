// What the core keeps for each device: its default stream, its resources, its spare events.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "core/memory/cached_resource.hpp"
#include "ferry/device.hpp"
#include "ferry/memory_resource.hpp"
#include "ferry/stream.hpp"

namespace ferry::inline v0::detail {

inline constexpr std::size_t kind_count = 5;

/// A stream's identity. Owned ones are destroyed with their last handle.
class StreamState {
 public:
  /// An owned stream is told to the device's pools, and must be made before the state is.
  StreamState(DeviceState& device, backend::NativeStream native, bool owned);
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;
  ~StreamState();
  DeviceState& device() const noexcept { return device_; }
  backend::NativeStream native() const noexcept { return native_; }

  static Stream handle(std::shared_ptr<StreamState> state) { return Stream(std::move(state)); }
  static const std::shared_ptr<StreamState>& of(const Stream& stream) { return stream.state_; }

 private:
  DeviceState& device_;
  backend::NativeStream native_;
  bool owned_;
};

/// Memory that others own, held until the work that uses it is done.
struct HeldOwner {
  std::shared_ptr<void> owner;
  std::vector<Event> until;
};

/// Memory that could not be given back yet, because a stream that used it was being captured.
class Postponed {
 public:
  virtual ~Postponed() = default;
  /// Whether it is given back now.
  virtual bool try_again() = 0;
};

/// Made at the first use of a device and never destroyed, so that arrays of static lifetime may outlive main().
class DeviceState {
 public:
  explicit DeviceState(backend::MemorySpace& space);
  static DeviceState& of(backend::MemorySpace& space);

  backend::MemorySpace& space() const noexcept { return space_; }
  Device handle() noexcept {
    Device device;
    device.state_ = this;
    return device;
  }
  const std::shared_ptr<StreamState>& default_stream() const noexcept { return default_stream_; }

  MemoryResource& pool(Pool pool, MemoryKind kind) noexcept;
  void trim();
  /// Streams that Ferry made: pools need no event for what is freed on these, since they are told when one ends.
  void stream_begins(backend::NativeStream stream);
  void stream_ends(backend::NativeStream stream) noexcept;

  MemoryResource& resource(MemoryKind kind) const noexcept;
  void set_resource(MemoryKind kind, MemoryResource* resource) noexcept;

  /// Events are made once and reused: making one is a driver call.
  backend::NativeEvent take_event(bool timing);
  void return_event(backend::NativeEvent event, bool timing) noexcept;

  /// Lets go of owners whose work is done. Called when the API is entered; costs a load when there are none.
  void release_held() noexcept;
  void hold(HeldOwner held);
  void postpone(std::unique_ptr<Postponed> memory);

 private:
  backend::MemorySpace& space_;
  std::shared_ptr<StreamState> default_stream_;
  struct Pools {
    DirectResource direct, driver;
    CachedResource cached;
  };
  std::array<std::unique_ptr<Pools>, kind_count> pools_;
  Pool default_pool_;
  std::array<std::atomic<MemoryResource*>, kind_count> chosen_{};
  std::mutex mutex_;
  std::array<std::vector<backend::NativeEvent>, 2> spare_events_;
  std::vector<HeldOwner> held_;
  std::vector<std::unique_ptr<Postponed>> postponed_;
  std::atomic<std::size_t> held_count_{0};  // of both
};

struct EventState {
  DeviceState* device = nullptr;
  backend::NativeEvent native = nullptr;
  bool timing = false;
  EventState(DeviceState& d, bool with_timing) : device(&d), native(d.take_event(with_timing)), timing(with_timing) {}
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;
  ~EventState() { device->return_event(native, timing); }
};

}  // namespace ferry::inline v0::detail
