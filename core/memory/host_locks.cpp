#include "core/memory/host_locks.hpp"

#include <algorithm>
#include <exception>

#include "core/memory/wait_for_streams.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::detail {

namespace {

struct Tables {
  std::mutex mutex;
  std::map<DeviceState*, std::unique_ptr<HostLocks>> all;
};
Tables& tables() {
  static Tables& instance = *new Tables;  // leaked: scopes of static lifetime end late
  return instance;
}
std::atomic<int> piece_count{0};  // of all devices

// The first byte of a range that is not page-locked, or its end. Of memory that others have locked, the device may know
// just that: then the range's two ends stand for all of it.
std::byte* first_pageable(const backend::MemorySpace& space, HostRange range) noexcept {
  while (range.begin < range.end) {
    const backend::PointerInfo info = space.query(range.begin);
    if (info.kind == MemoryKind::pageable) break;
    if (info.base != nullptr) {
      range.begin = std::min(range.end, static_cast<std::byte*>(info.base) + info.bytes);
    } else {
      const bool is_whole = space.query(range.end - 1).kind != MemoryKind::pageable;
      return is_whole ? range.end : range.begin;
    }
  }
  return range.begin;
}

}  // namespace

HostLocks& HostLocks::of(DeviceState& device) {
  const std::lock_guard lock(tables().mutex);
  auto& locks = tables().all[&device];
  if (locks == nullptr) locks = std::make_unique<HostLocks>(device);
  return *locks;
}

// The first piece that ends behind the address.
HostLocks::Pieces::iterator HostLocks::first_behind(std::byte* address) {
  auto piece = pieces_.upper_bound(address);
  if (piece != pieces_.begin() && std::prev(piece)->second.end > address) --piece;
  return piece;
}

void HostLocks::lock(HostRange range, backend::MemoryFlags flags, Claims& claims) {
  const Lock lock(mutex_);
  for (std::byte* at = range.begin; at < range.end;) {
    const auto piece = first_behind(at);
    const bool is_inside = piece != pieces_.end() && piece->first <= at;
    if (is_inside) {
      claims.push_back(piece->first);
      ++piece->second.users;
      at = piece->second.end;
    } else {
      std::byte* const end = piece == pieces_.end() ? range.end : std::min(range.end, piece->first);
      lock_gap({at, end}, flags, claims);
      at = end;
    }
  }
}

void HostLocks::lock_gap(HostRange gap, backend::MemoryFlags flags, Claims& claims) {
  backend::MemorySpace& space = device_.space();
  gap.begin = first_pageable(space, gap);
  if (gap.begin == gap.end) return;
  claims.reserve(claims.size() + 1);
  const auto piece = pieces_.try_emplace(gap.begin, Piece{gap.end, 1, {}}).first;
  try {
    space.register_host(gap.begin, static_cast<std::size_t>(gap.end - gap.begin), flags);
  } catch (...) {
    pieces_.erase(piece);
    throw;
  }
  claims.push_back(gap.begin);
  ++piece_count;
}

bool HostLocks::is_locked(const DeviceState& device, HostRange range) noexcept {
  return first_pageable(device.space(), range) == range.end;
}

void HostLocks::unlock(Claims claims) {
  std::exception_ptr first;
  for (std::byte* const claim : claims) {
    try {
      give_back(claim);
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

// While the last user waits, another may come, queue work and go without waiting, as it is not the last: so the wait is
// repeated until nothing new is known of.
void HostLocks::give_back(std::byte* claim) {
  std::exception_ptr failure;
  for (;;) {
    std::vector<std::shared_ptr<StreamState>> streams;
    {
      const Lock lock(mutex_);
      const auto piece = pieces_.find(claim);
      if (piece->second.users == 1) streams.swap(piece->second.streams);
      if (streams.empty()) {
        if (--piece->second.users == 0) {
          pieces_.erase(piece);
          --piece_count;
          device_.space().unregister_host(claim);
        }
        break;
      }
    }
    try {
      wait_for_streams(streams);
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

void HostLocks::wait(const Claims& claims) {
  std::vector<std::shared_ptr<StreamState>> streams;
  {
    const Lock lock(mutex_);
    for (std::byte* const claim : claims) {
      const auto& of_piece = pieces_.at(claim).streams;
      streams.insert(streams.end(), of_piece.begin(), of_piece.end());
    }
  }
  wait_for_streams(streams);
}

std::ptrdiff_t HostLocks::device_shift(HostRange range) const {
  std::ptrdiff_t shift = 0;
  for (std::byte* at = range.begin; at < range.end;) {
    const backend::PointerInfo info = device_.space().query(at);
    if (info.device_pointer == nullptr) {
      throw AccessError("ferry: mapped: kernels of " + device_.handle().name() +
                        " do not reach memory of this array: it was allocated page-locked, but not mapped; use "
                        "mapped_array, or memory that is not page-locked yet");
    }
    const std::ptrdiff_t found = static_cast<std::byte*>(info.device_pointer) - at;
    if (at != range.begin && found != shift) {
      throw AccessError("ferry: mapped: parts of this array were page-locked before, and for kernels of " +
                        device_.handle().name() +
                        " they do not lie in a row; open the scope of the whole array before those of its parts");
    }
    shift = found;
    at = info.base == nullptr ? range.end : static_cast<std::byte*>(info.base) + info.bytes;
  }
  return shift;
}

void HostLocks::note(HostRange range, const std::shared_ptr<StreamState>& stream) {
  const Lock lock(mutex_);
  for (auto piece = first_behind(range.begin); piece != pieces_.end() && piece->first < range.end; ++piece) {
    auto& streams = piece->second.streams;
    if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
  }
}

void HostLocks::note_use(HostRange range, const std::shared_ptr<StreamState>& stream) {
  if (piece_count.load(std::memory_order_relaxed) == 0) return;
  std::vector<HostLocks*> all;
  {
    const std::lock_guard lock(tables().mutex);
    // Also those of other devices: memory may be page-locked for all of them.
    for (const auto& [device, locks] : tables().all) all.push_back(locks.get());
  }
  for (HostLocks* locks : all) locks->note(range, stream);
}

}  // namespace ferry::inline v0::detail
