#include "ferry/stream.hpp"

#include "core/memory/device_state.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0 {

detail::StreamState::StreamState(DeviceState& device, backend::NativeStream native, bool owned)
    : device_(device), native_(native), owned_(owned) {
  if (owned) device.stream_begins(native);
}

detail::StreamState::~StreamState() {
  if (!owned_ || device_.space().is_lost()) return;
  device_.stream_ends(native_);
  device_.space().destroy_stream(native_);
}

Stream::Stream(const Device& device, StreamOptions options) {
  detail::DeviceState& state = resolve(device).state();
  const backend::NativeStream native =
      state.space().create_stream({.non_blocking = options.non_blocking, .priority = options.priority});
  try {
    state_ = std::make_shared<detail::StreamState>(state, native, true);
  } catch (...) {
    state.space().destroy_stream(native);
    throw;
  }
}

Stream Stream::wrap(const Device& device, backend::NativeStream native) {
  return Stream(std::make_shared<detail::StreamState>(resolve(device).state(), native, false));
}

detail::StreamState& Stream::state() const {
  if (state_ == nullptr) {
    throw LifetimeError("ferry: this Stream names no stream; make one with Stream(device) or device.default_stream()");
  }
  return *state_;
}

void Stream::synchronize() const {
  state().device().space().synchronize_stream(native());
  state().device().release_held();
}
bool Stream::ready() const {
  return state().device().space().is_stream_done(native());
}

Event Stream::record(bool timing) const {
  Event event;
  event.state_ = std::make_shared<detail::EventState>(state().device(), timing);
  state().device().space().record(event.state_->native, native());
  return event;
}

void Stream::wait(const Event& event) const {
  if (event.state_ == nullptr) return;
  const backend::MemorySpace &here = state().device().space(), &there = event.state_->device->space();
  if (&here == &there || (here.capabilities().peer_copies && here.backend_name() == there.backend_name())) {
    state().device().space().wait(native(), event.state_->native);
  } else {
    event.wait();  // devices of different vendors share no events; the host carries the order over
  }
}

Device Stream::device() const {
  return state().device().handle();
}
backend::NativeStream Stream::native() const {
  return state().native();
}

bool Event::ready() const {
  return state_ == nullptr || state_->device->space().is_event_done(state_->native);
}
void Event::wait() const {
  if (state_ != nullptr) state_->device->space().synchronize_event(state_->native);
}

float elapsed_ms(const Event& start, const Event& stop) {
  const auto *a = start.state_.get(), *b = stop.state_.get();
  if (a == nullptr || b == nullptr || !a->timing || !b->timing) {
    throw AccessError("ferry: elapsed_ms needs two events from Stream::record(true)");
  }
  if (a->device != b->device) throw AccessError("ferry: elapsed_ms needs two events of one device");
  start.wait();
  stop.wait();
  return a->device->space().elapsed_ms(a->native, b->native);
}

}  // namespace ferry::inline v0
