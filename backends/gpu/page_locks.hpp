// Which pages of the host's memory this backend has page-locked.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace ferry::inline v0::backend::gpu {

/// Drivers lock whole pages, and refuse a page that is locked already, while Ferry registers exact byte ranges, whose
/// neighbours may share a page. So pages are locked in segments that count their users: a range locks those of its
/// pages that no other has, and a segment is unlocked with its last user. Thread-safe.
class PageLocks {
 public:
  using Lock = void (*)(void* context, void* address, std::size_t bytes);  ///< may throw
  using Unlock = void (*)(void* context, void* address);                   ///< may throw

  PageLocks();
  /// Locks the pages under a range; when one is refused, none of the others is left locked.
  void lock(const std::byte* address, std::size_t bytes, Lock lock_pages, Unlock unlock_pages, void* context);
  /// The range must have been given to lock().
  void unlock(const std::byte* address, std::size_t bytes, Unlock unlock_pages, void* context);
  /// Appends the addresses inside the range at which a locked segment begins or ends: a driver's copy must not cross
  /// them. Returns whether any byte of the range lies in a segment.
  bool cuts(const std::byte* address, std::size_t bytes, std::vector<const std::byte*>& at) const;

 private:
  struct Segment {
    std::byte* end = nullptr;
    int users = 0;
  };
  using Segments = std::map<std::byte*, Segment>;
  Segments::iterator first_behind(std::byte* address);

  std::size_t page_;
  mutable std::mutex mutex_;
  Segments segments_;
};

}  // namespace ferry::inline v0::backend::gpu
