#include "backends/host/host_handles.hpp"

#include "ferry/backend/fault.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend {

void* HostHandles::next_handle() noexcept {
  last_ += 16;
  return reinterpret_cast<void*>(last_);
}

NativeStream HostHandles::create_stream() {
  const std::unique_lock lock(mutex_);
  return *streams_.insert(next_handle()).first;
}

void HostHandles::destroy_stream(NativeStream stream) noexcept {
  const std::unique_lock lock(mutex_);
  if (streams_.erase(stream) == 0) report_error("ferry: host: destroy_stream was given no live stream");
}

void HostHandles::check_stream(const char* call, NativeStream stream) const {
  if (stream == nullptr) return;
  const std::shared_lock lock(mutex_);
  if (!streams_.contains(stream))
    fault::raise("host", call, fault::invalid_handle, "the stream was destroyed, or never was");
}

NativeEvent HostHandles::create_event(bool timing) {
  const std::unique_lock lock(mutex_);
  return events_.try_emplace(next_handle(), Event{.timing = timing}).first->first;
}

void HostHandles::destroy_event(NativeEvent event) noexcept {
  const std::unique_lock lock(mutex_);
  if (events_.erase(event) == 0) report_error("ferry: host: destroy_event was given no live event");
}

namespace {
template <class Events>
auto& find_event(Events& events, const char* call, NativeEvent event) {
  const auto found = events.find(event);
  if (found == events.end()) fault::raise("host", call, fault::invalid_handle, "the event was destroyed, or never was");
  return found->second;
}
}  // namespace

void HostHandles::check_event(const char* call, NativeEvent event) const {
  const std::shared_lock lock(mutex_);
  find_event(events_, call, event);
}

void HostHandles::record(NativeEvent event) {
  const std::unique_lock lock(mutex_);
  Event& found = find_event(events_, "record", event);
  found.recorded = true;
  if (found.timing) found.time = std::chrono::steady_clock::now();
}

float HostHandles::elapsed_ms(NativeEvent start, NativeEvent stop) const {
  const std::shared_lock lock(mutex_);
  const Event &a = find_event(events_, "elapsed_ms", start), &b = find_event(events_, "elapsed_ms", stop);
  if (!a.timing || !b.timing)
    fault::raise("host", "elapsed_ms", fault::invalid_handle, "an event was made without timing");
  if (!a.recorded || !b.recorded)
    fault::raise("host", "elapsed_ms", fault::invalid_handle, "an event was never recorded");
  return std::chrono::duration<float, std::milli>(b.time - a.time).count();
}

}  // namespace ferry::inline v0::backend
