// Files: read in pieces or mapped, and written so that they appear whole or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "ferry/config.hpp"

namespace ferry::inline v0::io {

/// @throws Error "cannot `what` '`path`'" with the reason in errno
[[noreturn]] void throw_system(const std::string& what, const std::string& path);

/// A file opened for reading.
class InputFile {
 public:
  /// @throws Error when it cannot be opened, or is no regular file
  explicit InputFile(const std::string& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::string& path() const noexcept { return path_; }
  /// In bytes, when it was opened.
  std::size_t size() const noexcept { return size_; }
  /// @throws FormatError when the file ends before; Error with the system's reason
  void read(std::byte* to, std::size_t bytes, std::size_t offset) const;
  /// The whole file in memory, for as long as the pointer lives, also after this object and after the file has been
  /// replaced. `writable`: writes stay in this process.
  std::shared_ptr<std::byte> map(bool writable) const;

 private:
  std::string path_;
  int descriptor_;
  std::size_t size_ = 0;
};

/// A file written under another name in the same folder, which takes the place of `path` when it is complete and on the
/// disk: whoever reads, and whoever looks after a crash, finds the old file or the new one. Symbolic links are
/// followed, an old file's permissions kept. A target that is no regular file, such as a pipe, is written directly.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Drops what was written unless finish() was called.
  ~OutputFile();

  void write(const void* data, std::size_t bytes);
  void finish();

 private:
  void abandon() noexcept;

  std::string path_, target_, partial_;  // partial_ is empty for what is written directly
  int descriptor_ = -1;
};

}  // namespace ferry::inline v0::io
