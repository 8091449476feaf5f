#include "core/memory/flagged_resource.hpp"

#include <map>
#include <tuple>

#include "ferry/detail/array_handle.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::detail {

namespace {
using Key = std::tuple<DeviceState*, MemoryKind, bool, bool, bool, bool>;
}

MemoryResource& flagged_resource(DeviceState& device, MemoryKind kind, const backend::MemoryFlags& flags) {
  static std::mutex mutex;
  // Leaked: arrays of static lifetime give memory back late.
  static auto& resources = *new std::map<Key, std::unique_ptr<DirectResource>>;
  const std::lock_guard lock(mutex);
  auto& resource =
      resources[Key{&device, kind, flags.portable, flags.write_combined, flags.direct, flags.fine_grained}];
  if (resource == nullptr) resource = std::make_unique<DirectResource>(device.space(), kind, flags);
  return *resource;
}

MemoryResource* resource_for(const char* call, DeviceState& device, const AllocationRequest& request) {
  const backend::MemoryFlags& flags = request.flags;
  if (!flags.portable && !flags.write_combined && !flags.direct && !flags.fine_grained) return request.resource;
  if (request.resource != nullptr) {
    throw AccessError("ferry: " + std::string(call) +
                      ": flags and a resource; a resource decides the flags of its memory, so name only one of them");
  }
  return &flagged_resource(device, request.kind, flags);
}

}  // namespace ferry::inline v0::detail
