#include "core/memory/allocation.hpp"

#include <algorithm>

#include "core/memory/live_labels.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::detail {

namespace {
// Out of memory: give back what is cached, wait for pending frees, try once more.
void* allocate_or_reclaim(MemoryResource& resource, DeviceState& device, std::size_t bytes,
                          backend::NativeStream stream) {
  try {
    return resource.allocate(bytes, stream);
  } catch (const OutOfMemory&) {
  }
  device.release_held();
  device.space().synchronize_device();
  resource.trim();
  try {
    return resource.allocate(bytes, stream);
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(device.handle().name(), error.asked(), error.free(), error.total(), largest_labels());
  }
}
}  // namespace

Allocation::Allocation(DeviceState& device, MemoryKind kind, std::size_t bytes, std::shared_ptr<StreamState> stream,
                       MemoryResource* resource, std::string_view label)
    : device_(device),
      kind_(kind),
      range_{0, static_cast<index_t>(bytes)},
      resource_(resource != nullptr ? resource : &device.resource(kind)),
      label_(label),
      first_(std::move(stream)) {
  device.release_held();
  if (bytes == 0) return;
  if (!label_.empty()) add_label(*this);
  try {
    base_ = static_cast<std::byte*>(allocate_or_reclaim(*resource_, device, bytes, first_->native()));
  } catch (...) {
    if (!label_.empty()) remove_label(*this);
    throw;
  }
  if (!label_.empty()) device.space().set_label(base_, label_);
}

Allocation::~Allocation() {
  if (base_ != nullptr && !label_.empty()) remove_label(*this);
  try {
    give_back();
  } catch (const std::exception& error) {
    report_error(error.what());
  }
}

void Allocation::give_back() {
  if (base_ != nullptr) {
    const Stream stream = StreamState::handle(first_);
    for (auto& other : others_) stream.wait(StreamState::handle(std::move(other)).record());
    resource_->deallocate(base_, static_cast<std::size_t>(range_.size()), first_->native());
  } else if (owner_ != nullptr && first_ != nullptr) {
    HeldOwner held{std::move(owner_), {}};
    others_.push_back(std::move(first_));
    for (auto& stream : others_) {
      Event done = StreamState::handle(std::move(stream)).record();
      if (!done.ready()) held.until.push_back(std::move(done));
    }
    if (!held.until.empty()) device_.hold(std::move(held));
  }
}

void Allocation::used_on(const std::shared_ptr<StreamState>& stream) {
  const std::lock_guard lock(mutex_);
  if (first_ == nullptr) first_ = stream;
  if (first_ == stream || std::find(others_.begin(), others_.end(), stream) != others_.end()) return;
  others_.push_back(stream);
}

}  // namespace ferry::inline v0::detail
