#include "ferry/device.hpp"

#include <map>

#include "core/memory/device_state.hpp"
#include "ferry/backend/registry.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0 {

namespace detail {

DeviceState::DeviceState(backend::MemorySpace& space)
    : space_(space), default_stream_(std::make_shared<StreamState>(*this, nullptr, false)) {
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    direct_[kind] = std::make_unique<DirectResource>(space, static_cast<MemoryKind>(kind));
    chosen_[kind] = direct_[kind].get();
  }
}

DeviceState& DeviceState::of(backend::MemorySpace& space) {
  static std::mutex mutex;
  static auto& states = *new std::map<backend::MemorySpace*, DeviceState*>;  // leaked on purpose, see the class
  const std::lock_guard lock(mutex);
  DeviceState*& state = states[&space];
  if (state == nullptr) state = new DeviceState(space);
  return *state;
}

MemoryResource& DeviceState::resource(MemoryKind kind) const noexcept {
  return *chosen_[static_cast<std::size_t>(kind)];
}

void DeviceState::set_resource(MemoryKind kind, MemoryResource* resource) noexcept {
  const auto i = static_cast<std::size_t>(kind);
  chosen_[i] = resource != nullptr ? resource : direct_[i].get();
}

backend::NativeEvent DeviceState::take_event(bool timing) {
  {
    const std::lock_guard lock(mutex_);
    auto& spare = spare_events_[timing ? 1 : 0];
    if (!spare.empty()) {
      const backend::NativeEvent event = spare.back();
      spare.pop_back();
      return event;
    }
  }
  return space_.create_event(timing);
}

void DeviceState::return_event(backend::NativeEvent event, bool timing) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    spare_events_[timing ? 1 : 0].push_back(event);
  } catch (...) {
    space_.destroy_event(event);
  }
}

void DeviceState::hold(HeldOwner held) {
  const std::lock_guard lock(mutex_);
  held_.push_back(std::move(held));
  held_count_ = held_.size();
}

void DeviceState::release_held() noexcept {
  if (held_count_.load(std::memory_order_relaxed) == 0) return;
  std::vector<HeldOwner> done;  // destroyed after the lock is gone: an owner's destructor may call Ferry
  try {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < held_.size();) {
      bool ready = true;
      for (const Event& event : held_[i].until) ready = ready && event.ready();
      if (ready) {
        done.push_back(std::move(held_[i]));
        held_[i] = std::move(held_.back());
        held_.pop_back();
      } else {
        ++i;
      }
    }
    held_count_ = held_.size();
  } catch (const std::exception& error) {
    report_error(error.what());
  }
}

}  // namespace detail

Device::Device(std::string_view name) : state_(&detail::DeviceState::of(backend::find_space(name))) {}
Device::Device(backend::MemorySpace& space) : state_(&detail::DeviceState::of(space)) {}

detail::DeviceState& Device::state() const {
  if (state_ == nullptr)
    throw LifetimeError("ferry: this Device names no device; use Device(\"host\") or default_device()");
  return *state_;
}
backend::MemorySpace& Device::space() const {
  return state().space();
}

std::string Device::name() const {
  const backend::MemorySpace& s = space();
  std::string name(s.backend_name());
  return name == "host" ? name : name + ":" + std::to_string(s.index());
}
int Device::index() const {
  return space().index();
}
MemoryInfo Device::memory_info() const {
  return space().memory_info();
}
void Device::synchronize() const {
  space().synchronize_device();
  state().release_held();
}
Stream Device::default_stream() const {
  return detail::StreamState::handle(state().default_stream());
}
MemoryResource& Device::resource(MemoryKind kind) const {
  return state().resource(kind);
}
void Device::set_resource(MemoryResource* resource, MemoryKind kind) const {
  state().set_resource(kind, resource);
}

Device default_device() {
  return Device(backend::default_space());
}
Device resolve(const Device& device) {
  return device.is_set() ? device : default_device();
}

}  // namespace ferry::inline v0
