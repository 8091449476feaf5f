#include "core/memory/cached_resource.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

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

template <class BySize>
auto* find(BySize& blocks, std::size_t size) {
  const auto found = blocks.find(size);
  return found == blocks.end() || found->second.empty() ? nullptr : &found->second;
}
}  // namespace

CachedResource::~CachedResource() = default;

void* CachedResource::take_own(std::size_t size, backend::NativeStream stream) {
  const auto mine = free_.find(stream);
  auto* const blocks = mine != free_.end() ? find(mine->second, size) : nullptr;
  if (blocks == nullptr) return nullptr;
  void* const block = blocks->back();
  blocks->pop_back();
  return block;
}

void* CachedResource::take_from_others(std::size_t size, backend::NativeStream stream, bool only_idle) {
  backend::MemorySpace& space = device_.space();
  for (auto& [former, sizes] : free_) {
    auto* const blocks = former != stream ? find(sizes, size) : nullptr;
    if (blocks == nullptr) continue;
    if (only_idle) {
      if (!space.is_stream_done(former)) continue;
    } else {
      const EventState event(device_, false);
      space.record(event.native, former);
      space.wait(stream, event.native);
    }
    void* const block = blocks->back();
    blocks->pop_back();
    return block;
  }
  return nullptr;
}

void* CachedResource::take_orphan(std::size_t size, backend::NativeStream stream, bool only_done) {
  backend::MemorySpace& space = device_.space();
  auto* const blocks = find(orphans_, size);
  if (blocks == nullptr) return nullptr;
  for (Orphan& orphan : *blocks) {
    if (only_done && !space.is_event_done(orphan.freed->native)) continue;
    if (!only_done) space.wait(stream, orphan.freed->native);
    std::swap(orphan, blocks->back());
    void* const block = blocks->back().address;
    blocks->pop_back();
    return block;
  }
  return nullptr;
}

void* CachedResource::do_allocate(std::size_t bytes, backend::NativeStream stream) {
  const std::size_t size = size_class(bytes);
  {
    const std::lock_guard lock(mutex_);
    void* block = take_orphan(size, stream, true);
    if (!host_reaches_) {
      if (block == nullptr) block = take_own(size, stream);
      if (block == nullptr) block = take_from_others(size, stream, true);
      if (block == nullptr) block = take_orphan(size, stream, false);
    }
    if (block != nullptr) return block;
  }
  try {
    return device_.space().allocate(kind_, size, flags, stream);
  } catch (const OutOfMemory& error) {
    const std::lock_guard lock(mutex_);
    if (void* const block = host_reaches_ ? nullptr : take_from_others(size, stream, false)) return block;
    throw OutOfMemory(device_.handle().name(), bytes, error.free(), error.total());
  }
}

void CachedResource::do_deallocate(void* address, std::size_t bytes, backend::NativeStream stream) {
  const std::size_t size = size_class(bytes);
  try {
    const std::lock_guard lock(mutex_);
    const bool announced =
        stream == nullptr || std::find(own_streams_.begin(), own_streams_.end(), stream) != own_streams_.end();
    if (announced && !host_reaches_) {
      free_[stream][size].push_back(address);
    } else {
      auto freed = std::make_shared<EventState>(device_, false);
      device_.space().record(freed->native, stream);
      orphans_[size].push_back({address, std::move(freed)});
    }
  } catch (const std::bad_alloc&) {
    device_.space().deallocate(kind_, address, size, stream);  // freeing must not need memory
  }
}

void CachedResource::trim() {
  std::map<backend::NativeStream, BySize<void*>> free;
  BySize<Orphan> orphans;
  {
    const std::lock_guard lock(mutex_);
    free.swap(free_);
    orphans.swap(orphans_);
  }
  backend::MemorySpace& space = device_.space();
  for (const auto& [stream, sizes] : free) {
    for (const auto& [size, blocks] : sizes) {
      for (void* const block : blocks) space.deallocate(kind_, block, size, stream);
    }
  }
  for (const auto& [size, blocks] : orphans) {
    for (const Orphan& orphan : blocks) {
      space.synchronize_event(orphan.freed->native);  // its stream may be dead by now
      space.deallocate(kind_, orphan.address, size, nullptr);
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
  const auto ended = free_.find(stream);
  if (ended == free_.end()) return;
  try {
    const auto end = std::make_shared<EventState>(device_, false);
    device_.space().record(end->native, stream);
    for (auto& [size, blocks] : ended->second) {
      std::vector<Orphan>& heirs = orphans_[size];
      heirs.reserve(heirs.size() + blocks.size());
      for (void* const block : blocks) heirs.push_back({block, end});
      blocks.clear();
    }
  } catch (const DeviceError& error) {
    if (!backend::fault::means_gone(error)) report_error(error.what());
  } catch (const std::exception& error) {
    report_error(error.what());  // the blocks that could not pass on are lost to the cache, not handed out too early
  }
  free_.erase(ended);
}

}  // namespace ferry::inline v0::detail
