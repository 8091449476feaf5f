// Where an operand lies, and which device a copy runs on.
#pragma once

#include <optional>

#include "core/memory/allocation.hpp"
#include "ferry/detail/array_handle.hpp"

namespace ferry::inline v0::copying {

/// Ferry's own view of an operand's memory.
struct Place {
  detail::DeviceState* device = nullptr;  ///< the device whose memory it is; the host's for plain host memory
  bool on_host = false;                   ///< the host may read and write it directly
};

/// @throws LifetimeError for a view that has outlived its scope
Place place_of(const detail::ArrayHandle& array);

/// The bytes from one operand's base to another's when both are in one address space, whichever of their memory's
/// addresses each goes by; nothing when they are not.
std::optional<index_t> distance(const detail::ArrayHandle& from, const detail::ArrayHandle& to);

/// The stream that an operation runs on: the one named, else the bound one, else the device's default stream.
/// @throws AccessError when the named stream belongs to another device
Stream stream_for(const char* call, detail::DeviceState& device, const Stream& named, const Stream& bound);

/// Before the host touches memory in the place of an operation on the stream: waits for all that the operation would
/// have waited for. Synchronising would not do: on the legacy default stream an operation waits for blocking streams
/// too.
void wait_in_place_of_work(const Stream& stream);

}  // namespace ferry::inline v0::copying
