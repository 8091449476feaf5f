// Memory with two faces: an address that the program is given, closed to it, and one that the engine works through.
#pragma once

#include <cstddef>
#include <map>

namespace ferry::test {

/// A block of memory mapped twice. The outer face faults when it is touched, except while it is open.
class ToyArena {
 public:
  explicit ToyArena(std::size_t bytes);
  ToyArena(const ToyArena&) = delete;
  ToyArena& operator=(const ToyArena&) = delete;
  ~ToyArena();

  /// How much may be in use; the mapping itself is sparse and costs nothing before it is touched.
  void limit(std::size_t bytes) noexcept { limit_ = bytes < size_ ? bytes : size_; }
  /// The outer address of a 256-byte aligned block full of rubbish, or null when no gap is large enough.
  void* allocate(std::size_t bytes);
  /// Poisons the block and makes it available again.
  void free(void* outer) noexcept;

  bool has_outer(const void* address) const noexcept;
  bool has_inner(const void* address) const noexcept;
  std::byte* inner(const void* outer) const noexcept;
  std::byte* outer(const void* inner) const noexcept;
  std::size_t used() const noexcept { return used_; }
  std::size_t limit() const noexcept { return limit_; }

  /// Lets the program touch the outer face, as a kernel of the device may; nests.
  void open() noexcept;
  void close() noexcept;

 private:
  std::size_t size_, limit_, used_ = 0;
  std::byte *outer_ = nullptr, *inner_ = nullptr;
  std::map<std::size_t, std::size_t> blocks_;  // offset, size
  int open_ = 0;
  bool is_open_ = false;  // a kernel may run while there is no memory to open
};

}  // namespace ferry::test
