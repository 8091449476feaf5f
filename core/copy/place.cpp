#include "core/copy/place.hpp"

#include "ferry/error.hpp"

namespace ferry::inline v0::copying {

namespace {
detail::DeviceState& host() {
  static detail::DeviceState& state = Device("host").state();
  return state;
}

struct Location {
  const detail::DeviceState* device;  // null for memory that has an address for the host
  std::byte* base;                    // by that address
};

Location locate(const detail::ArrayHandle& array) {
  if (array.face == detail::Face::host || array.memory == nullptr) return {nullptr, array.base};
  detail::DeviceState& device = array.memory->device();
  if (device.space().capabilities().device_is_host) return {nullptr, array.base};
  if (array.memory->kind() == MemoryKind::device) return {&device, array.base};
  return {nullptr, detail::with_face(array, detail::Face::host).base};
}
}  // namespace

Place place_of(const detail::ArrayHandle& array) {
  if (array.memory == nullptr) return {&host(), true};
  detail::check_open(array);
  detail::DeviceState& device = array.memory->device();
  return {&device, array.face == detail::Face::host || device.space().capabilities().device_is_host};
}

std::optional<index_t> distance(const detail::ArrayHandle& from, const detail::ArrayHandle& to) {
  const Location a = locate(from), b = locate(to);
  if (a.device != b.device) return std::nullopt;
  return b.base - a.base;
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
