#include "backends/host/host_ledger.hpp"

#include "ferry/error.hpp"

namespace ferry::inline v0::backend {

namespace {
// The numbers that CUDA gives to the same faults, so that code which reads them need not know the backend.
constexpr int invalid_value = 1, already_registered = 712, not_registered = 713;
}  // namespace

void HostLedger::reserve(std::size_t bytes, std::size_t capacity) {
  const std::lock_guard lock(mutex_);
  if (bytes > capacity - used_) throw OutOfMemory("host", bytes, capacity - used_, capacity);
  used_ += bytes;
}
void HostLedger::unreserve(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
}
std::size_t HostLedger::used() const noexcept {
  const std::lock_guard lock(mutex_);
  return used_;
}

void HostLedger::add_allocation(void* address, std::size_t bytes, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  allocations_[static_cast<std::byte*>(address)] = {bytes, kind};
}

void HostLedger::remove_allocation(void* address, std::size_t bytes, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(static_cast<std::byte*>(address));
  if (found == allocations_.end() || found->second.bytes != bytes || found->second.kind != kind) {
    throw DeviceError("deallocate", invalid_value, "the address is no live allocation of this size and kind");
  }
  allocations_.erase(found);
}

void HostLedger::add_registration(void* address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto* const begin = static_cast<std::byte*>(address);
  const auto next = registrations_.lower_bound(begin);
  const bool meets_next = next != registrations_.end() && next->first < begin + bytes;
  if (meets_next || containing(registrations_, begin) != nullptr || containing(allocations_, begin) != nullptr) {
    throw DeviceError("register_host", already_registered, "part or all of the memory is page-locked already");
  }
  registrations_[begin] = {bytes, MemoryKind::mapped};
}

void HostLedger::remove_registration(void* address) {
  const std::lock_guard lock(mutex_);
  auto* const begin = static_cast<std::byte*>(address);
  if (registrations_.erase(begin) == 1) return;
  if (containing(registrations_, begin) != nullptr || containing(allocations_, begin) != nullptr) {
    throw DeviceError("unregister_host", invalid_value, "the address is not the start of a registration");
  }
  throw DeviceError("unregister_host", not_registered, "the memory is not registered");
}

const HostLedger::Ranges::value_type* HostLedger::containing(const Ranges& ranges, const std::byte* address) noexcept {
  auto after = ranges.upper_bound(const_cast<std::byte*>(address));
  if (after == ranges.begin()) return nullptr;
  const auto& range = *--after;
  return address < range.first + range.second.bytes ? &range : nullptr;
}

PointerInfo HostLedger::find(const void* address) const noexcept {
  const std::lock_guard lock(mutex_);
  const auto* const at = static_cast<const std::byte*>(address);
  for (const Ranges* ranges : {&allocations_, &registrations_}) {
    if (const auto* range = containing(*ranges, at)) {
      return {range->second.kind, 0, range->first, range->second.bytes, const_cast<void*>(address)};
    }
  }
  // The CPU's "kernels" reach all host memory.
  return {MemoryKind::pageable, -1, nullptr, 0, const_cast<void*>(address)};
}

}  // namespace ferry::inline v0::backend
