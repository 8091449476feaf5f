#include "ferry/backend/ledger.hpp"

#include "ferry/backend/fault.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend {

void Ledger::reserve(std::size_t bytes, std::size_t capacity) {
  const std::lock_guard lock(mutex_);
  if (bytes > capacity - used_) throw OutOfMemory(backend_, bytes, capacity - used_, capacity);
  used_ += bytes;
}
void Ledger::unreserve(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
}
std::size_t Ledger::used() const noexcept {
  const std::lock_guard lock(mutex_);
  return used_;
}

void Ledger::add_allocation(void* address, std::size_t bytes, MemoryKind kind, MemoryFlags flags) {
  const std::lock_guard lock(mutex_);
  allocations_[static_cast<std::byte*>(address)] = {bytes, kind, flags};
}

MemoryFlags Ledger::remove_allocation(void* address, std::size_t bytes, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(static_cast<std::byte*>(address));
  if (found == allocations_.end()) {
    fault::raise(backend_, "deallocate", fault::invalid_value, "no live allocation starts at the address");
  }
  if (found->second.bytes != bytes || found->second.kind != kind) {
    fault::raise(backend_, "deallocate", fault::invalid_value, "the allocation has another size or kind");
  }
  const MemoryFlags flags = found->second.flags;
  allocations_.erase(found);
  return flags;
}

void Ledger::add_registration(void* address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto* const begin = static_cast<std::byte*>(address);
  if (meets_locked(registrations_, begin, begin + bytes) || meets_locked(allocations_, begin, begin + bytes)) {
    fault::raise(backend_, "register_host", fault::already_registered,
                 "part or all of the memory is page-locked already");
  }
  registrations_[begin] = {bytes, MemoryKind::mapped, {}};
}

std::size_t Ledger::remove_registration(void* address) {
  const std::lock_guard lock(mutex_);
  auto* const begin = static_cast<std::byte*>(address);
  if (const auto found = registrations_.find(begin); found != registrations_.end()) {
    const std::size_t bytes = found->second.bytes;
    registrations_.erase(found);
    return bytes;
  }
  if (containing(registrations_, begin) != nullptr) {
    fault::raise(backend_, "unregister_host", fault::invalid_value,
                 "the address is inside a registration, not its start");
  }
  if (meets_locked(allocations_, begin, begin + 1)) {
    fault::raise(backend_, "unregister_host", fault::invalid_value,
                 "the memory was allocated page-locked, not registered");
  }
  fault::raise(backend_, "unregister_host", fault::not_registered, "no registration starts at the address");
}

const Ledger::Ranges::value_type* Ledger::containing(const Ranges& ranges, const std::byte* address) noexcept {
  auto after = ranges.upper_bound(const_cast<std::byte*>(address));
  if (after == ranges.begin()) return nullptr;
  const auto& range = *--after;
  return address < range.first + range.second.bytes ? &range : nullptr;
}

// Pageable allocations are plain host memory, which may be registered as any other may.
bool Ledger::meets_locked(const Ranges& ranges, std::byte* begin, const std::byte* end) noexcept {
  auto range = ranges.upper_bound(begin);
  if (range != ranges.begin() && begin < std::prev(range)->first + std::prev(range)->second.bytes) --range;
  for (; range != ranges.end() && range->first < end; ++range) {
    if (range->second.kind != MemoryKind::pageable) return true;
  }
  return false;
}

PointerInfo Ledger::find(const void* address) const noexcept {
  const std::lock_guard lock(mutex_);
  const auto* const at = static_cast<const std::byte*>(address);
  // Registrations first: one may cover a part of a pageable allocation.
  for (const Ranges* ranges : {&registrations_, &allocations_}) {
    if (const auto* range = containing(*ranges, at)) {
      return {range->second.kind, device_, range->first, range->second.bytes, const_cast<void*>(address)};
    }
  }
  return {};
}

}  // namespace ferry::inline v0::backend
