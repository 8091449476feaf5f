// Events of all simulated devices.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "backends/sim/sim_operation.hpp"
#include "ferry/backend/memory_space.hpp"

namespace ferry::inline v0::backend::sim {

/// Shared by the devices, since a stream may wait for an event of another one. Not thread-safe: the simulator's lock
/// guards it.
class Events {
 public:
  struct Event {
    bool timing = false;
    OperationPtr point;  ///< the last record; null before the first
  };
  NativeEvent create(bool timing);
  /// False when there is no such event.
  bool destroy(NativeEvent event) noexcept { return events_.erase(event) == 1; }
  /// @throws DeviceError unless the event is live
  Event& find(const char* call, NativeEvent event);
  /// @throws DeviceError unless both were made with timing, recorded, and have happened
  float elapsed_ms(NativeEvent start, NativeEvent stop);

 private:
  std::unordered_map<NativeEvent, Event> events_;
  std::uintptr_t last_ = 0x20000;
};

}  // namespace ferry::inline v0::backend::sim
