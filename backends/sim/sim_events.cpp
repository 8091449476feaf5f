#include "backends/sim/sim_events.hpp"

#include <chrono>

#include "ferry/backend/fault.hpp"

namespace ferry::inline v0::backend::sim {

NativeEvent Events::create(bool timing) {
  auto* const handle = reinterpret_cast<NativeEvent>(last_ += 16);
  events_[handle].timing = timing;
  return handle;
}

Events::Event& Events::find(const char* call, NativeEvent event) {
  const auto found = events_.find(event);
  if (found == events_.end()) {
    fault::raise("sim", call, fault::invalid_handle, "the event was destroyed, or never was");
  }
  return found->second;
}

float Events::elapsed_ms(NativeEvent start, NativeEvent stop) {
  const Event &a = find("elapsed_ms", start), &b = find("elapsed_ms", stop);
  if (!a.timing || !b.timing) {
    fault::raise("sim", "elapsed_ms", fault::invalid_handle, "an event was made without timing");
  }
  if (a.point == nullptr || b.point == nullptr) {
    fault::raise("sim", "elapsed_ms", fault::invalid_handle, "an event was never recorded");
  }
  if (!a.point->done || !b.point->done) {
    fault::raise("sim", "elapsed_ms", fault::not_ready, "an event has not happened yet");
  }
  return std::chrono::duration<float, std::milli>(b.point->finished - a.point->finished).count();
}

}  // namespace ferry::inline v0::backend::sim
