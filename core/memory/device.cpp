#include "ferry/device.hpp"

#include <cstdlib>
#include <map>

#include "core/memory/device_state.hpp"
#include "ferry/backend/registry.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0 {

namespace detail {

namespace {
Pool pool_from_environment() {
  const char* text = std::getenv("FERRY_POOL");
  const std::string_view name = text != nullptr ? text : "";
  if (name.empty() || name == "driver") return Pool::driver;
  if (name == "direct") return Pool::direct;
  if (name == "cached") return Pool::cached;
  throw AccessError("ferry: FERRY_POOL is '" + std::string(name) + "'; there are direct, driver and cached");
}
}  // namespace

DeviceState::DeviceState(backend::MemorySpace& space) : space_(space), default_pool_(pool_from_environment()) {
  for (std::size_t i = 0; i < kind_count; ++i) {
    const auto kind = static_cast<MemoryKind>(i);
    pools_[i].reset(new Pools{{space, kind, {.direct = true}}, {space, kind}, {*this, kind}});
    chosen_[i] = &pool(kind == MemoryKind::device ? default_pool_ : Pool::direct, kind);
  }
  default_stream_ = std::make_shared<StreamState>(*this, nullptr, false);
}

MemoryResource& DeviceState::pool(Pool pool, MemoryKind kind) noexcept {
  Pools& pools = *pools_[static_cast<std::size_t>(kind)];
  if (pool == Pool::cached) return pools.cached;
  return pool == Pool::driver ? pools.driver : pools.direct;
}

void DeviceState::trim() {
  for (const auto& pools : pools_) pools->cached.trim();
  space_.trim();
}

void DeviceState::stream_begins(backend::NativeStream stream) {
  for (const auto& pools : pools_) pools->cached.stream_begins(stream);
}
void DeviceState::stream_ends(backend::NativeStream stream) noexcept {
  for (const auto& pools : pools_) pools->cached.stream_ends(stream);
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
  chosen_[i] = resource != nullptr ? resource : &pool(kind == MemoryKind::device ? default_pool_ : Pool::direct, kind);
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
  held_count_ = held_.size() + postponed_.size();
}
void DeviceState::postpone(std::unique_ptr<Postponed> memory) {
  const std::lock_guard lock(mutex_);
  postponed_.push_back(std::move(memory));
  held_count_ = held_.size() + postponed_.size();
}

void DeviceState::release_held() noexcept {
  if (held_count_.load(std::memory_order_relaxed) == 0) return;
  // Looked at without the lock: an owner's destructor, and giving memory back, may call Ferry.
  std::vector<HeldOwner> held;
  std::vector<std::unique_ptr<Postponed>> postponed;
  {
    const std::lock_guard lock(mutex_);
    held.swap(held_);
    postponed.swap(postponed_);
    held_count_ = 0;
  }
  const auto is_done = [](const HeldOwner& one) {
    for (const Event& event : one.until) {
      if (!event.ready()) return false;
    }
    return true;
  };
  for (HeldOwner& one : held) {
    try {
      if (is_done(one)) continue;
    } catch (const std::exception& error) {
      report_error(error.what());
      continue;
    }
    hold(std::move(one));
  }
  for (auto& one : postponed) {
    try {
      if (one->try_again()) continue;
    } catch (const std::exception& error) {
      report_error(error.what());
      continue;
    }
    postpone(std::move(one));
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
MemoryResource& Device::pool(Pool pool, MemoryKind kind) const {
  return state().pool(pool, kind);
}
void Device::trim() const {
  state().release_held();
  state().trim();
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
