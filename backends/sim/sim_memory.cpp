#include "backends/sim/sim_memory.hpp"

#include <string>

namespace ferry::inline v0::backend::sim {

namespace {
// Addresses, not memory: what is not in use takes none. Much more than a device has, so that addresses come back late.
constexpr std::size_t arena_bytes = std::size_t{64} << 30;
constexpr std::size_t remembered = 4096;

bool has(const Block& block, const std::byte* address) noexcept {
  const auto within = [&](const std::byte* base) {
    return base != nullptr && address >= base && address < base + block.bytes;
  };
  return within(block.address) || within(block.device_address);
}
}  // namespace

std::string describe(const Block& block) {
  std::string kind = block.is_registered() ? "registered host" : std::string(to_string(block.kind));
  return (block.label.empty() ? "an array without a label" : "'" + block.label + "'") + " (" + kind +
         " memory of sim:" + std::to_string(block.device) + ", " + std::to_string(block.bytes) + " bytes)";
}

void Memory::add_device() {
  DeviceArenas arenas;
  const auto make = [&](MemoryKind kind, bool host_face, bool device_face) {
    arenas.of_kind[static_cast<std::size_t>(kind)] = std::make_unique<Arena>(arena_bytes, host_face, device_face);
  };
  make(MemoryKind::pinned, true, false);
  make(MemoryKind::mapped, true, true);
  make(MemoryKind::managed, true, false);  // one address for both
  make(MemoryKind::device, false, true);
  arenas_.push_back(std::move(arenas));
}

BlockPtr Memory::allocate(int device, MemoryKind kind, std::size_t bytes, bool portable) {
  Arena& arena = *arenas_[static_cast<std::size_t>(device)].of_kind[static_cast<std::size_t>(kind)];
  const auto offset = arena.take(bytes);
  if (!offset) return nullptr;
  auto block = std::make_shared<Block>();
  block->kind = kind;
  block->device = device;
  block->bytes = bytes;
  block->portable = portable;
  block->arena = &arena;
  block->offset = *offset;
  block->engine = arena.engine(*offset);
  std::byte *const on_host = arena.face(Arena::host, *offset), *const on_device = arena.face(Arena::device, *offset);
  block->address = on_host != nullptr ? on_host : on_device;
  block->device_address = kind == MemoryKind::managed ? on_host : on_device;
  arena.protect(Arena::host, *offset, bytes, Access::write);
  add(block);
  return block;
}

BlockPtr Memory::add_registration(int device, std::byte* address, std::size_t bytes, bool portable) {
  auto block = std::make_shared<Block>();
  block->kind = MemoryKind::mapped;
  block->device = device;
  block->address = block->device_address = block->engine = address;
  block->bytes = bytes;
  block->portable = portable;
  add(block);
  return block;
}

void Memory::add(const BlockPtr& block) {
  blocks_[block->address] = block;
  if (block->device_address != nullptr) blocks_[block->device_address] = block;
}

void Memory::retire(const BlockPtr& block) {
  blocks_.erase(block->address);
  if (block->device_address != nullptr) blocks_.erase(block->device_address);
  if (retired_.size() == remembered) retired_.pop_front();
  retired_.push_back(block);
}

void Memory::release(Block& block) noexcept {
  if (block.arena != nullptr) block.arena->give(block.offset);
}

BlockPtr Memory::find(const void* address) const noexcept {
  const auto* const at = static_cast<const std::byte*>(address);
  auto after = blocks_.upper_bound(at);
  if (after == blocks_.begin()) return nullptr;
  const BlockPtr& block = (--after)->second;
  return at < after->first + block->bytes ? block : nullptr;
}

BlockPtr Memory::find_retired(const void* address) const noexcept {
  for (auto block = retired_.rbegin(); block != retired_.rend(); ++block) {
    if (has(**block, static_cast<const std::byte*>(address))) return *block;
  }
  return nullptr;
}

const Arena* Memory::arena_of(const void* address) const noexcept {
  for (const DeviceArenas& arenas : arenas_) {
    for (const auto& arena : arenas.of_kind) {
      if (arena != nullptr && arena->offset_of(address)) return arena.get();
    }
  }
  return nullptr;
}

}  // namespace ferry::inline v0::backend::sim
