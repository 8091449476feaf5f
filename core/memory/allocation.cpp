#include "core/memory/allocation.hpp"

#include <algorithm>

#include "core/memory/live_labels.hpp"
#include "core/memory/observing.hpp"
#include "core/memory/wait_for_streams.hpp"
#include "ferry/backend/fault.hpp"
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
  device.space().synchronize_device();
  device.release_held();
  resource.trim();
  device.trim();
  device.space().synchronize_device();  // what trimming frees may be queued too
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
  if (device.space().is_capturing(first_->native())) {
    throw AccessError("ferry: memory cannot be allocated on a stream that is being captured; allocate before");
  }
  if (!label_.empty()) add_label(*this);
  try {
    base_ = static_cast<std::byte*>(allocate_or_reclaim(*resource_, device, bytes, first_->native()));
  } catch (...) {
    if (!label_.empty()) remove_label(*this);
    throw;
  }
  if (!label_.empty()) device.space().set_label(base_, label_);
  told_ = observer();
  if (told_ != nullptr) told_->allocated({device.handle(), kind, label_, base_}, bytes);
}

Allocation::~Allocation() {
  if (base_ != nullptr && !label_.empty()) remove_label(*this);
  if (told_ != nullptr && told_ == observer()) {
    told_->freed({device_.handle(), kind_, label_, base_}, static_cast<std::size_t>(range_.size()));
  }
  const bool was_lost = device_.space().is_lost();  // then it was reported when it was found out
  try {
    if (!was_lost) {
      give_back();
    } else if (base_ != nullptr) {
      resource_->deallocate(base_, static_cast<std::size_t>(range_.size()), first_->native());
    }
  } catch (const DeviceError& error) {
    if (!was_lost && !backend::fault::means_gone(error)) report_error(error.what());
  } catch (const std::exception& error) {
    report_error(error.what());
  }
}

namespace {

// What it takes to give memory back behind the work of every stream that used it.
class GiveBack final : public Postponed {
 public:
  GiveBack(MemoryResource& resource, void* base, std::size_t bytes, std::shared_ptr<StreamState> first,
           std::vector<std::shared_ptr<StreamState>> others) noexcept
      : resource_(resource), base_(base), bytes_(bytes), first_(std::move(first)), others_(std::move(others)) {}

  // What is queued on a stream that is being captured would become a part of the graph, and run each time it does.
  bool try_again() override {
    if (is_captured(*first_)) return false;
    for (const auto& other : others_) {
      if (is_captured(*other)) return false;
    }
    const Stream stream = StreamState::handle(first_);
    for (const auto& other : others_) stream.wait(StreamState::handle(other).record());
    resource_.deallocate(base_, bytes_, first_->native());
    return true;
  }

 private:
  static bool is_captured(const StreamState& stream) { return stream.device().space().is_capturing(stream.native()); }

  MemoryResource& resource_;
  void* base_;
  std::size_t bytes_;
  std::shared_ptr<StreamState> first_;
  std::vector<std::shared_ptr<StreamState>> others_;
};

}  // namespace

void Allocation::give_back() {
  if (base_ != nullptr) {
    GiveBack memory(*resource_, base_, static_cast<std::size_t>(range_.size()), std::move(first_), std::move(others_));
    if (!memory.try_again()) device_.postpone(std::make_unique<GiveBack>(std::move(memory)));
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

void Allocation::wait() {
  std::vector<std::shared_ptr<StreamState>> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = others_;
    if (first_ != nullptr) streams.push_back(first_);
  }
  for (const auto& stream : streams) {
    if (stream->device().space().is_capturing(stream->native())) {
      throw AccessError(
          "ferry: the host asks for memory that is in use on a stream which is being captured, and nothing can be "
          "waited for there; ask before or after the capture");
    }
  }
  wait_for_streams(streams);
}

void Allocation::find_device_address() {
  if (base_ == nullptr) return;
  void* const address = device_.space().query(base_).device_pointer;
  if (address == nullptr) {
    throw AccessError("ferry: " + device_.handle().name() + " does not reach " + std::string(to_string(kind_)) +
                      " memory from kernels; use pinned_array and copy, or device_array");
  }
  device_shift_ = static_cast<std::byte*>(address) - base_;
}

}  // namespace ferry::inline v0::detail
