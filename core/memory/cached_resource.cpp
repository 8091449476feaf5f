#include "core/memory/cached_resource.hpp"

#include <algorithm>
#include <bit>

#include "core/memory/device_state.hpp"
#include "ferry/backend/fault.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::detail {

namespace {
constexpr backend::MemoryFlags flags{.direct = true};

// Eight sizes for each power of two, from 512 bytes on.
std::size_t size_class(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return bytes;  // no memory has that many, and rounding up would overflow
  const std::size_t step = std::max<std::size_t>(512, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}
}  // namespace

CachedResource::~CachedResource() = default;

void CachedResource::order(const Block& block, backend::NativeStream former, backend::NativeStream stream) {
  backend::MemorySpace& space = device_.space();
  // A foreign stream's handle may belong to another stream by now, so its event is waited for in any case.
  if (block.freed != nullptr) return space.wait(stream, block.freed);
  if (former == stream) return;
  const EventState event(device_, false);
  space.record(event.native, former);
  space.wait(stream, event.native);
}

void* CachedResource::take_own(std::size_t size, backend::NativeStream stream) {
  const auto blocks = free_.find(stream);
  if (blocks == free_.end()) return nullptr;
  const auto found = blocks->second.find(size);
  if (found == blocks->second.end() || found->second.empty()) return nullptr;
  const Block block = found->second.back();
  order(block, stream, stream);
  found->second.pop_back();
  if (block.freed != nullptr) device_.return_event(block.freed, false);
  return block.address;
}

void* CachedResource::steal(std::size_t size, backend::NativeStream stream, bool only_idle) {
  for (auto& [former, blocks] : free_) {
    const auto found = blocks.find(size);
    if (former == stream || found == blocks.end() || found->second.empty()) continue;
    const Block block = found->second.back();
    if (only_idle && !(block.freed != nullptr ? device_.space().is_event_done(block.freed)
                                              : device_.space().is_stream_done(former))) {
      continue;
    }
    if (!only_idle) order(block, former, stream);
    found->second.pop_back();
    if (block.freed != nullptr) device_.return_event(block.freed, false);
    return block.address;
  }
  return nullptr;
}

void* CachedResource::do_allocate(std::size_t bytes, backend::NativeStream stream) {
  const std::size_t size = size_class(bytes);
  {
    const std::lock_guard lock(mutex_);
    if (void* own = take_own(size, stream)) return own;
    if (void* idle = steal(size, stream, true)) return idle;
  }
  try {
    return device_.space().allocate(kind_, size, flags, stream);
  } catch (const OutOfMemory& error) {
    const std::lock_guard lock(mutex_);
    if (void* busy = steal(size, stream, false)) return busy;
    throw OutOfMemory(device_.handle().name(), bytes, error.free(), error.total());
  }
}

void CachedResource::do_deallocate(void* address, std::size_t bytes, backend::NativeStream stream) {
  const std::size_t size = size_class(bytes);
  try {
    const std::lock_guard lock(mutex_);
    Block block{address, nullptr};
    std::vector<Block>& blocks = free_[stream][size];
    blocks.reserve(blocks.size() + 1);
    if (stream != nullptr && std::find(own_streams_.begin(), own_streams_.end(), stream) == own_streams_.end()) {
      block.freed = device_.take_event(false);
      device_.space().record(block.freed, stream);
    }
    blocks.push_back(block);
  } catch (const std::bad_alloc&) {
    device_.space().deallocate(kind_, address, size, stream);  // freeing must not need memory
  }
}

void CachedResource::trim() {
  std::map<backend::NativeStream, Blocks> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(free_);
  }
  for (auto& [stream, sizes] : all) {
    for (auto& [size, blocks] : sizes) {
      for (const Block& block : blocks) {
        if (block.freed == nullptr) {
          device_.space().deallocate(kind_, block.address, size, stream);
          continue;
        }
        device_.space().synchronize_event(block.freed);  // its stream may be dead by now
        device_.return_event(block.freed, false);
        device_.space().deallocate(kind_, block.address, size, nullptr);
      }
    }
  }
}

void CachedResource::stream_begins(backend::NativeStream stream) {
  const std::lock_guard lock(mutex_);
  own_streams_.push_back(stream);
}

void CachedResource::stream_ends(backend::NativeStream stream) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(own_streams_, stream);
  const auto found = free_.find(stream);
  if (found == free_.end()) return;
  const bool any =
      std::any_of(found->second.begin(), found->second.end(), [](auto& one) { return !one.second.empty(); });
  try {
    if (any) {
      order({}, stream, nullptr);
      Blocks& heirs = free_[nullptr];
      for (auto& [size, blocks] : found->second) {
        std::vector<Block>& heir = heirs[size];
        heir.insert(heir.end(), blocks.begin(), blocks.end());
        blocks.clear();
      }
    }
  } catch (const DeviceError& error) {
    if (!backend::fault::means_gone(error)) report_error(error.what());
  } catch (const std::exception& error) {
    report_error(error.what());  // the blocks that could not pass are lost to the cache, not handed out too early
  }
  free_.erase(stream);
}

}  // namespace ferry::inline v0::detail
