// The `cached` pool: blocks that were freed, kept by size and stream.
#pragma once

#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "ferry/memory_resource.hpp"

namespace ferry::inline v0::detail {

class DeviceState;

/// A block goes back out to the stream that freed it without a wait, since that stream's later work is behind its
/// earlier work anyway. Another stream gets it only when the freeing one has nothing left to do, or when the driver has
/// no more memory; then an event carries the order over. Blocks come from the driver one by one, rounded up by at most
/// an eighth, so nothing is ever cut up and fragmentation is the driver's. Thread-safe.
class CachedResource final : public MemoryResource {
 public:
  CachedResource(DeviceState& device, MemoryKind kind) noexcept : device_(device), kind_(kind) {}
  ~CachedResource() override;
  /// Gives all cached blocks back to the driver.
  void trim() override;

  /// Ferry's own streams announce themselves. What is freed on another stream gets an event at once, as nobody says
  /// when that one ends.
  void stream_begins(backend::NativeStream stream);
  /// Blocks of an ending stream pass to the legacy default stream, which waits for it.
  void stream_ends(backend::NativeStream stream) noexcept;

 private:
  struct Block {
    void* address = nullptr;
    backend::NativeEvent freed = nullptr;  // null: behind the stream's work, whenever it is asked for
  };
  using Blocks = std::unordered_map<std::size_t, std::vector<Block>>;  // by size

  void* do_allocate(std::size_t bytes, backend::NativeStream stream) override;
  void do_deallocate(void* address, std::size_t bytes, backend::NativeStream stream) override;

  /// Null when the stream has none of this size.
  void* take_own(std::size_t size, backend::NativeStream stream);
  /// From another stream: one that is idle, or any.
  void* steal(std::size_t size, backend::NativeStream stream, bool only_idle);
  void order(const Block& block, backend::NativeStream former, backend::NativeStream stream);

  DeviceState& device_;
  MemoryKind kind_;
  std::mutex mutex_;
  std::map<backend::NativeStream, Blocks> free_;
  std::vector<backend::NativeStream> own_streams_;
};

}  // namespace ferry::inline v0::detail
