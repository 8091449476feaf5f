#include "backends/sim/sim_arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "ferry/error.hpp"

namespace ferry::inline v0::backend::sim {

namespace {
constexpr int rubbish = 0xCD;  // of memory that is fresh
// Of a larger block only both ends are filled with it, for the time that takes.
constexpr std::size_t most_rubbish = std::size_t{16} << 20;

std::byte* map(int file, std::size_t bytes, int protection, void* hint = nullptr) {
  void* address = ::mmap(hint, bytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (address == MAP_FAILED) throw Error("ferry: sim: the system has no addresses left for a simulated device");
  return static_cast<std::byte*>(address);
}
// Where nothing else tends to be, so that a program has the same addresses, and the same reports, in each of its runs.
// Only a wish: the system, or a sanitizer, may have other plans.
void* next_hint(std::size_t bytes) {
  static std::atomic<std::uintptr_t> next{0x2000'0000'0000};
  return reinterpret_cast<void*>(next.fetch_add(bytes));
}
}  // namespace

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
  return size;
}

Arena::Arena(std::size_t bytes, bool host_face, bool device_face) : bytes_(bytes) {
  file_ = ::memfd_create("ferry-sim", MFD_CLOEXEC);
  if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(bytes)) != 0) {
    throw Error("ferry: sim: the system has no memory for a simulated device");
  }
  engine_ = map(file_, bytes, PROT_READ | PROT_WRITE);
  if (host_face) faces_[host] = map(file_, bytes, PROT_NONE, next_hint(bytes));
  if (device_face) faces_[device] = map(file_, bytes, PROT_NONE, next_hint(bytes));
}

Arena::~Arena() {
  ::munmap(engine_, bytes_);
  for (std::byte* const face : faces_) {
    if (face != nullptr) ::munmap(face, bytes_);
  }
  ::close(file_);
}

std::optional<std::size_t> Arena::take(std::size_t bytes) {
  if (bytes > bytes_) return std::nullopt;  // before rounding up can overflow
  const std::size_t wanted = whole_pages(bytes);
  // The first gap behind the block that was given out last, then the first of all.
  const auto first_gap = [&](std::size_t from) -> std::optional<std::size_t> {
    std::size_t gap = from;
    auto block = blocks_.lower_bound(from);
    if (block != blocks_.begin()) {
      const auto before = std::prev(block);
      gap = std::max(gap, before->first + before->second);
    }
    for (; block != blocks_.end() && block->first - gap < wanted; ++block) gap = block->first + block->second;
    if (gap > bytes_ || wanted > bytes_ - gap) return std::nullopt;
    return gap;
  };
  std::optional<std::size_t> found = first_gap(next_);
  if (!found) found = first_gap(0);
  if (!found) return std::nullopt;
  blocks_[*found] = wanted;
  next_ = *found + wanted;
  std::memset(engine_ + *found, rubbish, std::min(wanted, most_rubbish));
  if (wanted > most_rubbish) {
    const std::size_t rest = std::min(wanted - most_rubbish, most_rubbish);
    std::memset(engine_ + *found + wanted - rest, rubbish, rest);
  }
  return found;
}

void Arena::give(std::size_t offset) noexcept {
  const auto block = blocks_.find(offset);
  for (const int which : {host, device}) protect(which, offset, block->second, Access::none);
  ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(block->second));
  blocks_.erase(block);
}

std::optional<std::size_t> Arena::offset_of(const void* address) const noexcept {
  for (const std::byte* const face : faces_) {
    if (contains(face, address)) return static_cast<std::size_t>(static_cast<const std::byte*>(address) - face);
  }
  return std::nullopt;
}

void Arena::protect(int which, std::size_t offset, std::size_t bytes, Access access) noexcept {
  std::byte* const base = faces_[static_cast<std::size_t>(which)];
  if (base == nullptr || bytes == 0) return;
  const std::size_t begin = offset / page_size() * page_size(), end = whole_pages(offset + bytes);
  const int protection = access == Access::none   ? PROT_NONE
                         : access == Access::read ? PROT_READ
                                                  : PROT_READ | PROT_WRITE;
  ::mprotect(base + begin, end - begin, protection);
}

}  // namespace ferry::inline v0::backend::sim
