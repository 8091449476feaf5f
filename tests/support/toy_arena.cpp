#include "support/toy_arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace ferry::test {

namespace {
constexpr std::size_t alignment = 256;
constexpr int rubbish = 0xCD, poison = 0xDD;  // of memory that is fresh, and that is gone

std::byte* map(int descriptor, std::size_t bytes, int protection) {
  void* address = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (address == MAP_FAILED) throw std::runtime_error("toy backend: mmap failed");
  return static_cast<std::byte*>(address);
}
std::size_t round_up(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}
}  // namespace

ToyArena::ToyArena(std::size_t bytes) : size_(bytes), limit_(bytes) {
  const int descriptor = ::memfd_create("ferry-toy", MFD_CLOEXEC);
  if (descriptor < 0 || ::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    throw std::runtime_error("toy backend: no memory for a device");
  }
  outer_ = map(descriptor, bytes, PROT_NONE);
  inner_ = map(descriptor, bytes, PROT_READ | PROT_WRITE);
  ::close(descriptor);
}

ToyArena::~ToyArena() {
  ::munmap(outer_, size_);
  ::munmap(inner_, size_);
}

void* ToyArena::allocate(std::size_t bytes) {
  if (bytes > limit_) return nullptr;  // before rounding up can overflow
  const std::size_t wanted = round_up(bytes);
  if (used_ > limit_ || wanted > limit_ - used_) return nullptr;
  std::size_t gap = 0;
  for (const auto& [offset, size] : blocks_) {
    if (offset - gap >= wanted) break;
    gap = offset + size;
  }
  if (wanted > size_ - gap) return nullptr;
  blocks_[gap] = wanted;
  used_ += wanted;
  std::memset(inner_ + gap, rubbish, wanted);
  return outer_ + gap;
}

void ToyArena::free(void* outer) noexcept {
  const auto block = blocks_.find(static_cast<std::size_t>(static_cast<std::byte*>(outer) - outer_));
  std::memset(inner_ + block->first, poison, block->second);
  used_ -= block->second;
  blocks_.erase(block);
}

bool ToyArena::has_outer(const void* address) const noexcept {
  const auto* at = static_cast<const std::byte*>(address);
  return at >= outer_ && at < outer_ + size_;
}
bool ToyArena::has_inner(const void* address) const noexcept {
  const auto* at = static_cast<const std::byte*>(address);
  return at >= inner_ && at < inner_ + size_;
}
std::byte* ToyArena::inner(const void* outer) const noexcept {
  return inner_ + (static_cast<const std::byte*>(outer) - outer_);
}
std::byte* ToyArena::outer(const void* inner) const noexcept {
  return outer_ + (static_cast<const std::byte*>(inner) - inner_);
}

void ToyArena::open() noexcept {
  if (open_++ > 0 || used_ == 0) return;
  is_open_ = true;
  ::mprotect(outer_, size_, PROT_READ | PROT_WRITE);
}
void ToyArena::close() noexcept {
  if (--open_ > 0 || !is_open_) return;
  is_open_ = false;
  ::mprotect(outer_, size_, PROT_NONE);
}

}  // namespace ferry::test
