// The `cached` pool: blocks that were freed, kept by size and stream.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "ferry/memory_resource.hpp"

namespace ferry::inline v0::detail {

class DeviceState;
struct EventState;

/// A block goes back out to the stream that freed it without a wait, since that stream's later work is behind its
/// earlier work anyway. Another stream gets it only when the freeing one has nothing left to do, when it has ended, or
/// when the driver has no more memory; then an event carries the order over. Blocks come from the driver one by one,
/// rounded up by at most an eighth, so nothing is ever cut up and fragmentation is the driver's.
///
/// Memory that the host reaches is another matter: the host waits for no stream, so a block of it goes out only when
/// the work behind which it was freed is done. Thread-safe.
class CachedResource final : public MemoryResource {
 public:
  CachedResource(DeviceState& device, MemoryKind kind) noexcept
      : device_(device), kind_(kind), host_reaches_(kind != MemoryKind::device) {}
  ~CachedResource() override;
  /// Gives all cached blocks back to the driver.
  void trim() override;

  /// Ferry's own streams announce themselves. What is freed on another stream is up for all at once, behind an event,
  /// as nobody says when that one ends.
  void stream_begins(backend::NativeStream stream);
  /// Blocks of an ending stream are up for all, behind one event at that stream's end.
  void stream_ends(backend::NativeStream stream) noexcept;

 private:
  struct Orphan {
    void* address = nullptr;
    std::shared_ptr<EventState> freed;
  };
  template <class Block>
  using BySize = std::unordered_map<std::size_t, std::vector<Block>>;

  void* do_allocate(std::size_t bytes, backend::NativeStream stream) override;
  void do_deallocate(void* address, std::size_t bytes, backend::NativeStream stream) override;

  // Each returns null when it has nothing of this size.
  /// What this stream freed.
  void* take_own(std::size_t size, backend::NativeStream stream);
  /// What a stream freed that has nothing left to do, or any stream: then `stream` is made to wait for it.
  void* take_from_others(std::size_t size, backend::NativeStream stream, bool only_idle);
  /// What no stream stands for any more: behind an event that has passed, or any: then `stream` is made to wait for it.
  void* take_orphan(std::size_t size, backend::NativeStream stream, bool only_done);

  DeviceState& device_;
  MemoryKind kind_;
  bool host_reaches_;
  std::mutex mutex_;
  std::map<backend::NativeStream, BySize<void*>> free_;
  BySize<Orphan> orphans_;
  std::vector<backend::NativeStream> own_streams_;
};

}  // namespace ferry::inline v0::detail
