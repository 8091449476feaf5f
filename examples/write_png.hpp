// Pictures of the examples.
#pragma once

#include <png.h>

#include <cstring>
#include <ferry/ferry.hpp>
#include <string>

namespace examples {

/// Writes a grey picture, of (rows, columns); 0 is black.
/// @throws ferry::Error when the file cannot be written
inline void write_png(const std::string& path, const ferry::HostArray<std::uint8_t>& gray) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_GRAY;
  image.height = static_cast<png_uint_32>(gray.shape()[0]);
  image.width = static_cast<png_uint_32>(gray.shape()[1]);
  if (png_image_write_to_file(&image, path.c_str(), 0, gray.contiguous_data(), 0, nullptr) == 0) {
    throw ferry::Error("cannot write '" + path + "': " + image.message);
  }
}

}  // namespace examples
