#include "core/copy/place.hpp"

#include "ferry/error.hpp"

namespace ferry::inline v0::copying {

namespace {
detail::DeviceState& host() {
  static detail::DeviceState& state = Device("host").state();
  return state;
}
}  // namespace

Place place_of(const detail::ArrayHandle& array) {
  if (array.memory == nullptr) return {&host(), true};
  detail::DeviceState& device = array.memory->device();
  const MemoryKind kind = array.memory->kind();
  return {&device, kind == MemoryKind::pageable || kind == MemoryKind::pinned || kind == MemoryKind::mapped ||
                       device.space().capabilities().device_is_host};
}

Stream stream_for(const char* call, detail::DeviceState& device, const Stream& named, const Stream& bound) {
  if (named) {
    if (&named.device().state() != &device) {
      throw AccessError("ferry: " + std::string(call) + ": the stream belongs to " + named.device().name() +
                        ", but the work is on " + device.handle().name());
    }
    return named;
  }
  if (bound && &bound.device().state() == &device) return bound;
  return device.handle().default_stream();
}

void wait_in_place_of_work(const Stream& stream) {
  stream.record().wait();
}

}  // namespace ferry::inline v0::copying
