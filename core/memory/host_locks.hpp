// The host memory that scopes keep page-locked for one device.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/memory/device_state.hpp"

namespace ferry::inline v0::detail {

/// Host memory from `begin` to one before `end`.
struct HostRange {
  std::byte* begin;
  std::byte* end;
};

/// Scopes may nest and meet in any way, and devices refuse memory that is page-locked already. So each scope locks what
/// of its memory is not locked yet, and shares in the pieces that others have locked; a piece is unlocked with its last
/// user. Memory that was page-locked by other means is left alone. Thread-safe.
class HostLocks {
 public:
  /// Made at the first use and never destroyed, as the device itself.
  static HostLocks& of(DeviceState& device);

  explicit HostLocks(DeviceState& device) noexcept : device_(device) {}

  /// Pieces that a scope uses, by where they begin.
  using Claims = std::vector<std::byte*>;

  /// Adds to `claims` what the range takes. After an error they hold what was taken until then.
  void lock(HostRange range, backend::MemoryFlags flags, Claims& claims);
  /// Gives claims back. A piece without other users is unlocked once the work that is known of on it is done.
  /// Whatever fails, all are given back; then the first failure is thrown.
  void unlock(Claims claims);
  /// Waits for the work that is known of on these pieces.
  void wait(const Claims& claims);
  /// What is added to the host's address to have the kernels', for memory that is page-locked.
  /// @throws AccessError when kernels do not reach it, or pieces of it lie elsewhere for them
  std::ptrdiff_t device_shift(HostRange range) const;

  /// Work on `stream` may use this memory; costs a load while no scope is open.
  static void note_use(HostRange range, const std::shared_ptr<StreamState>& stream);

 private:
  struct Piece {
    std::byte* end = nullptr;
    int users = 0;
    std::vector<std::shared_ptr<StreamState>> streams;
  };
  // Recursive: a device that runs host code may do so while it unlocks memory, and that code may end a scope.
  using Lock = std::lock_guard<std::recursive_mutex>;
  using Pieces = std::map<std::byte*, Piece>;
  Pieces::iterator first_behind(std::byte* address);
  void lock_gap(HostRange gap, backend::MemoryFlags flags, Claims& claims);
  void note(HostRange range, const std::shared_ptr<StreamState>& stream);
  void give_back(std::byte* claim);

  DeviceState& device_;
  std::recursive_mutex mutex_;
  Pieces pieces_;
};

}  // namespace ferry::inline v0::detail
