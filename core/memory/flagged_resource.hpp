// Memory with flags: portable, write-combined. A resource fixes its flags, so each combination in use has one.
#pragma once

#include "core/memory/device_state.hpp"

namespace ferry::inline v0::detail {

struct AllocationRequest;

/// The device's own resource for memory of a kind with these flags. Lives until the process ends. Thread-safe.
MemoryResource& flagged_resource(DeviceState& device, MemoryKind kind, const backend::MemoryFlags& flags);

/// The resource that a request means: the one it names, the device's own of its kind, or for flags one of those above.
/// @throws AccessError for flags beside a resource
MemoryResource* resource_for(const char* call, DeviceState& device, const AllocationRequest& request);

}  // namespace ferry::inline v0::detail
