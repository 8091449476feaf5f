// Rows of bytes at pitches.
#pragma once

#include <cstddef>
#include <cstring>

namespace ferry::inline v0::backend::cpu {

/// `rows` runs of `width` bytes; nothing to do when one of them is 0.
inline void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                      std::size_t rows) {
  if (width == 0 || rows == 0) return;
  if (width == to_pitch && width == from_pitch) {
    std::memcpy(to, from, width * rows);
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(static_cast<std::byte*>(to) + row * to_pitch, static_cast<const std::byte*>(from) + row * from_pitch,
                width);
  }
}

}  // namespace ferry::inline v0::backend::cpu
