// All memory that the simulator knows, by address.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "backends/sim/sim_block.hpp"

namespace ferry::inline v0::backend::sim {

/// The arenas of all devices, and the blocks in them and beside them. Not thread-safe: the simulator's lock guards it.
class Memory {
 public:
  void add_device();

  /// A block of a kind that has an arena: all but pageable. Null when there is no room for it.
  BlockPtr allocate(int device, MemoryKind kind, std::size_t bytes, bool portable);
  /// Host memory of the program, page-locked from now on.
  BlockPtr add_registration(int device, std::byte* address, std::size_t bytes, bool portable);
  /// The block is no longer found; its memory stays until release(). It is remembered, for texts, for some time.
  void retire(const BlockPtr& block);
  void release(Block& block) noexcept;

  /// The block that holds this address of either of its faces; null for none.
  BlockPtr find(const void* address) const noexcept;
  /// As find(), among those that are retired and, as far as they are remembered, released.
  BlockPtr find_retired(const void* address) const noexcept;
  /// Whether the address lies in an arena, so that it can be no memory of the program's own.
  bool owns(const void* address) const noexcept { return arena_of(address) != nullptr; }
  bool is_device_address(const void* address) const noexcept {
    const Arena* const arena = arena_of(address);
    return arena != nullptr && arena->is_device_face(address);
  }
  const std::map<const std::byte*, BlockPtr>& blocks() const noexcept { return blocks_; }

 private:
  const Arena* arena_of(const void* address) const noexcept;
  void add(const BlockPtr& block);

  struct DeviceArenas {
    std::array<std::unique_ptr<Arena>, 5> of_kind;
  };
  std::vector<DeviceArenas> arenas_;
  std::map<const std::byte*, BlockPtr> blocks_;  // by each address that they have
  std::deque<BlockPtr> retired_;
};

}  // namespace ferry::inline v0::backend::sim
