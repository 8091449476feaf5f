// Memory with several faces: one that the engine works through, and those that the program is given.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

namespace ferry::inline v0::backend::sim {

/// How a face may be touched by the program.
enum class Access : unsigned char { none, read, write };

/// A sparse file in memory, mapped once for the engine, which may always touch it, and once or twice for the program,
/// closed until it is opened page by page. Blocks are whole pages, so that opening one opens no other, and an address
/// is not given out again before all others were: one used too long is found out. Not thread-safe.
class Arena {
 public:
  static constexpr int host = 0, device = 1;  ///< the faces for the program

  /// The file's size is also how much may ever be in use at a time.
  Arena(std::size_t bytes, bool host_face, bool device_face);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// The offset of a block full of rubbish, closed on all faces; none when no gap is large enough.
  std::optional<std::size_t> take(std::size_t bytes);
  /// Closes the block, and gives its pages back to the system.
  void give(std::size_t offset) noexcept;

  std::byte* engine(std::size_t offset) const noexcept { return engine_ + offset; }
  std::byte* face(int which, std::size_t offset) const noexcept {
    std::byte* const base = faces_[static_cast<std::size_t>(which)];
    return base == nullptr ? nullptr : base + offset;
  }
  /// Where in the file an address of one of the program's faces lies; none for other addresses.
  std::optional<std::size_t> offset_of(const void* address) const noexcept;
  bool is_device_face(const void* address) const noexcept { return contains(faces_[device], address); }

  /// Opens or closes the pages of a face that hold these bytes.
  void protect(int which, std::size_t offset, std::size_t bytes, Access access) noexcept;

 private:
  bool contains(const std::byte* base, const void* address) const noexcept {
    const auto* at = static_cast<const std::byte*>(address);
    return base != nullptr && at >= base && at < base + bytes_;
  }
  std::size_t bytes_, next_ = 0;
  int file_ = -1;
  std::byte* engine_ = nullptr;
  std::array<std::byte*, 2> faces_{};
  std::map<std::size_t, std::size_t> blocks_;  // offset, size
};

/// The size of a page, and a size rounded up to whole pages.
std::size_t page_size() noexcept;
inline std::size_t whole_pages(std::size_t bytes) noexcept {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

}  // namespace ferry::inline v0::backend::sim
