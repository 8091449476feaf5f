#include "backends/sim/sim_kernels.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "backends/sim/sim_races.hpp"
#include "backends/sim/sim_report.hpp"

namespace ferry::inline v0::backend::sim {

namespace {

// Of larger blocks only the first byte that a kernel writes is known; a copy of them would take too long.
constexpr std::size_t most_compared = std::size_t{16} << 20;

// Registered memory is watched only on pages that are all its own: the others may hold anything, the stack included.
void protect_registered(const Block& block, Access access) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(block.address);
  const std::uintptr_t begin = whole_pages(first), end = (first + block.bytes) / page_size() * page_size();
  if (begin >= end) return;
  auto* const pages = reinterpret_cast<void*>(begin);
  if (access == Access::none) {
    ::mprotect(pages, end - begin, PROT_NONE);
  } else if (::mprotect(pages, end - begin, PROT_READ | PROT_WRITE) != 0) {
    ::mprotect(pages, end - begin, PROT_READ);  // a file that may not be written
  }
}

// Managed memory has one face for host and kernels.
int kernel_face(const Block& block) {
  return block.kind == MemoryKind::managed ? Arena::host : Arena::device;
}

std::string at_byte(const Block& block, const void* address) {
  return "byte " + std::to_string(block.offset_of(static_cast<const std::byte*>(address))) + " of " + describe(block);
}

}  // namespace

void Kernels::report(const std::string& what, const std::string& advice) const {
  report_bug("a kernel " + what + "\n  " + describe(*operation_) + "\n  " + advice);
}

void Kernels::open(Opened& opened, Access access) noexcept {
  opened.access = access;
  if (opened.block->is_registered()) return protect_registered(*opened.block, access);
  opened.block->arena->protect(kernel_face(*opened.block), opened.block->offset, opened.block->bytes, access);
}

void Kernels::run(Task& task, const std::vector<Declared>* declared) {
  operation_ = executor_.running();
  declared_ = declared;
  opened_.clear();
  for (const auto& [address, block] : memory_.blocks()) {
    if (block->kind == MemoryKind::managed || (block->is_registered() && declared == nullptr)) {
      opened_.push_back({block, Access::none, {}});
      open(opened_.back(), Access::none);
    }
  }
  struct Running {
    Kernels& kernels;
    explicit Running(Kernels& k) : kernels(k) { kernels.is_running_ = true; }
    ~Running() {
      kernels.is_running_ = false;
      kernels.close_all();
    }
  };
  {
    const Running running(*this);
    task();
  }
  note_writes();
  opened_.clear();
  operation_ = nullptr;
}

void Kernels::close_all() noexcept {
  for (Opened& opened : opened_) {
    // Flights that have their pages closed to the host close them again.
    const bool of_host = opened.block->kind == MemoryKind::managed || opened.block->is_registered();
    open(opened, of_host ? Access::write : Access::none);
    if (of_host) flights_.protect(*opened.block);
  }
}

void Kernels::note_writes() {
  for (const Opened& opened : opened_) {
    if (opened.before.empty()) continue;
    Block& block = *opened.block;
    const Footprint changed = Footprint::difference(opened.before.data(), block.engine, block.bytes);
    if (!changed.empty()) check_access(executor_, block, {operation_, changed, true});
  }
}

bool Kernels::touched_registered(const void* address, bool writes) {
  const std::lock_guard lock(mutex_);
  const BlockPtr block = memory_.find(address);
  const auto opened =
      std::find_if(opened_.begin(), opened_.end(), [&](const Opened& one) { return one.block == block; });
  if (block == nullptr || opened == opened_.end()) return false;
  if (opened->access != Access::write) {
    const std::size_t byte = block->offset_of(static_cast<const std::byte*>(address));
    check_access(executor_, *block, {operation_, Footprint::run(byte, 1), writes});
    open(*opened, Access::write);
  }
  return true;
}

void Kernels::touched(const void* address, bool writes) {
  const std::lock_guard lock(mutex_);
  const std::string does = writes ? "writes " : "reads ";
  BlockPtr block = memory_.find(address);
  if (block == nullptr) {
    const BlockPtr gone = memory_.find_retired(address);
    if (gone != nullptr && gone->freed != nullptr && !gone->freed->done) {
      block = gone;  // its deallocation is queued; whether it is queued behind this kernel is checked below
    } else if (gone != nullptr) {
      report(does + at_byte(*gone, address) + ", which was given back",
             gone->freed != nullptr ? describe(*gone->freed) + " gave it back" : "its scope has ended");
    }
    if (block == nullptr) {
      report(does + "device memory outside of every allocation", "an index is out of range, or a pointer is stale");
    }
  }
  if (block->kind == MemoryKind::pinned || (block->kind == MemoryKind::mapped && !memory_.is_device_address(address))) {
    report(does + at_byte(*block, address) + " by its host address",
           "kernels use the address that the device has for it, or do not reach it");
  }
  if (block->device != operation_->device && !block->portable && block->kind != MemoryKind::managed) {
    report(does + at_byte(*block, address) + ", of another device", "copy it to the kernel's device first");
  }
  auto opened = std::find_if(opened_.begin(), opened_.end(), [&](const Opened& one) { return one.block == block; });
  if (opened == opened_.end()) opened = opened_.insert(opened_.end(), Opened{block, Access::none, {}});
  if (opened->access == Access::write || (opened->access == Access::read && !writes)) return;  // by another thread

  if (declared_ != nullptr) {
    bool may_read = false, may_write = false;
    for (const Declared& one : *declared_) {
      if (one.block == block) may_read = true, may_write = may_write || one.writes;
    }
    if (!may_read || (writes && !may_write)) {
      report(does + at_byte(*block, address) + ", which it was not declared to do",
             "name the array in reads(...) or writes(...)");
    }
    return open(*opened, may_write ? Access::write : Access::read);
  }
  check_access(executor_, *block,
               {operation_, Footprint::run(block->offset_of(static_cast<const std::byte*>(address)), 1), writes});
  if (writes && block->bytes <= most_compared) opened->before.assign(block->engine, block->engine + block->bytes);
  open(*opened, writes ? Access::write : Access::read);
}

}  // namespace ferry::inline v0::backend::sim
