#include "backends/gpu/page_locks.hpp"

#include <unistd.h>

#include <cstdint>
#include <utility>

namespace ferry::inline v0::backend::gpu {

namespace {
struct Pages {
  std::byte *begin, *end;
};
Pages pages_of(const std::byte* address, std::size_t bytes, std::size_t page) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(address), last = first + bytes;
  return {reinterpret_cast<std::byte*>(first / page * page),
          reinterpret_cast<std::byte*>((last + page - 1) / page * page)};
}
}  // namespace

PageLocks::PageLocks() : page_(static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE))) {}

// The first segment that ends behind the address.
PageLocks::Segments::iterator PageLocks::first_behind(std::byte* address) {
  auto next = segments_.upper_bound(address);
  if (next != segments_.begin() && std::prev(next)->second.end > address) --next;
  return next;
}

void PageLocks::lock(const std::byte* address, std::size_t bytes, Lock lock_pages, Unlock unlock_pages, void* context) {
  const std::lock_guard guard(mutex_);
  const Pages pages = pages_of(address, bytes, page_);
  std::vector<std::pair<std::byte*, std::byte*>> gaps;
  std::byte* at = pages.begin;
  for (auto segment = first_behind(at); segment != segments_.end() && segment->first < pages.end; ++segment) {
    if (at < segment->first) gaps.emplace_back(at, segment->first);
    at = segment->second.end;
  }
  if (at < pages.end) gaps.emplace_back(at, pages.end);

  std::size_t done = 0;
  try {
    for (; done < gaps.size(); ++done) {
      const auto [begin, end] = gaps[done];
      const auto added = segments_.try_emplace(begin, Segment{end, 0}).first;
      try {
        lock_pages(context, begin, static_cast<std::size_t>(end - begin));
      } catch (...) {
        segments_.erase(added);
        throw;
      }
    }
  } catch (...) {
    while (done-- > 0) {
      segments_.erase(gaps[done].first);
      unlock_pages(context, gaps[done].first);
    }
    throw;
  }
  for (auto segment = first_behind(pages.begin); segment != segments_.end() && segment->first < pages.end; ++segment) {
    ++segment->second.users;
  }
}

void PageLocks::unlock(const std::byte* address, std::size_t bytes, Unlock unlock_pages, void* context) {
  const std::lock_guard guard(mutex_);
  const Pages pages = pages_of(address, bytes, page_);
  for (auto segment = first_behind(pages.begin); segment != segments_.end() && segment->first < pages.end;) {
    if (--segment->second.users > 0) {
      ++segment;
      continue;
    }
    std::byte* const begin = segment->first;
    segment = segments_.erase(segment);
    unlock_pages(context, begin);
  }
}

bool PageLocks::cuts(const std::byte* address, std::size_t bytes, std::vector<const std::byte*>& at) const {
  const std::lock_guard guard(mutex_);
  if (segments_.empty()) return false;
  auto* const begin = const_cast<std::byte*>(address);
  const std::byte* const end = address + bytes;
  bool any = false;
  for (auto segment = const_cast<PageLocks*>(this)->first_behind(begin);
       segment != segments_.end() && segment->first < end; ++segment) {
    any = true;
    if (segment->first > address) at.push_back(segment->first);
    if (segment->second.end < end) at.push_back(segment->second.end);
  }
  return any;
}

}  // namespace ferry::inline v0::backend::gpu
