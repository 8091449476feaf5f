// Streams and events of the host backend.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>

#include "ferry/backend/memory_space.hpp"

namespace ferry::inline v0::backend {

/// Streams have no work of their own here, and events are points in time; the tables exist to tell live handles from
/// dead ones. A handle is a number never given out twice, so one used after its end is always found out. Thread-safe.
class HostHandles {
 public:
  NativeStream create_stream();
  void destroy_stream(NativeStream stream) noexcept;
  /// @throws DeviceError unless the stream is live; null always is
  void check_stream(const char* call, NativeStream stream) const;

  NativeEvent create_event(bool timing);
  void destroy_event(NativeEvent event) noexcept;
  /// @throws DeviceError unless the event is live
  void check_event(const char* call, NativeEvent event) const;
  void record(NativeEvent event);
  float elapsed_ms(NativeEvent start, NativeEvent stop) const;

 private:
  struct Event {
    bool timing = false;
    bool recorded = false;
    std::chrono::steady_clock::time_point time{};
  };
  void* next_handle() noexcept;

  mutable std::shared_mutex mutex_;
  std::uintptr_t last_ = 0x1000;  // above the small numbers by which vendors name their special streams
  std::unordered_set<NativeStream> streams_;
  std::unordered_map<NativeEvent, Event> events_;
};

}  // namespace ferry::inline v0::backend
