// A piece of memory that the simulator knows: an allocation of its own, or host memory that was registered.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/sim/sim_arena.hpp"
#include "backends/sim/sim_footprint.hpp"
#include "backends/sim/sim_operation.hpp"
#include "ferry/backend/memory_space.hpp"

namespace ferry::inline v0::backend::sim {

/// What an operation reads or writes of a block.
struct Touch {
  OperationPtr operation;
  Footprint what;
  bool writes = false;
};

/// "fill on stream 2 of sim:0 (operation 17) writes bytes 0 to 99".
std::string describe(const Touch& touch);

struct Block {
  MemoryKind kind = MemoryKind::device;
  int device = 0;
  std::byte* address = nullptr;         ///< what the program was given, or registered
  std::byte* device_address = nullptr;  ///< what kernels use; null for memory that they do not reach
  std::byte* engine = nullptr;          ///< where the engine finds the first byte
  std::size_t bytes = 0;
  bool portable = false;   ///< page-locked for all devices
  Arena* arena = nullptr;  ///< null for registered memory
  std::size_t offset = 0;  ///< in the arena
  std::string label;
  std::vector<Touch> touches;  ///< those that later work might race with
  OperationPtr freed;          ///< the deallocation, once it is queued

  bool is_registered() const noexcept { return arena == nullptr; }
  bool is_on_host() const noexcept { return kind != MemoryKind::device; }
  /// The bytes from the block's start, and whether it has that many.
  bool contains(const std::byte* first, std::size_t size) const noexcept {
    const std::byte* const base = first >= address && first < address + bytes ? address : device_address;
    return base != nullptr && first >= base && first <= base + bytes &&
           size <= bytes - static_cast<std::size_t>(first - base);
  }
  std::size_t offset_of(const std::byte* at) const noexcept {
    const bool by_host_address = at >= address && at < address + bytes;
    return static_cast<std::size_t>(at - (by_host_address ? address : device_address));
  }
};
using BlockPtr = std::shared_ptr<Block>;

/// "'velocity' (device memory of sim:0, 400 bytes)".
std::string describe(const Block& block);

}  // namespace ferry::inline v0::backend::sim
