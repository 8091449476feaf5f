#include "ferry/npy.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/copy/plan.hpp"
#include "core/dtype/byte_order.hpp"
#include "core/io/npy_header.hpp"
#include "ferry/backend/strided.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0 {

namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr std::size_t magic_size = 6;
constexpr std::size_t data_alignment = 64;  // NumPy's, so that the data can be mapped and read by vector loads

[[noreturn]] void throw_system(const std::string& what, const std::string& path) {
  throw Error("ferry: cannot " + what + " '" + path + "': " + std::strerror(errno));
}
[[noreturn]] void throw_format(const std::string& path, const std::string& why) {
  throw FormatError("ferry: '" + path + "' is no .npy file that can be read: " + why);
}

// Versions 1 and 2 hold Latin-1, version 3 UTF-8, which is what Ferry's field names are.
std::string utf8_from_latin1(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xc0 | byte >> 6);
      result += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return result;
}
bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

/// A file descriptor that closes itself, and removes a file that was not finished.
struct NpyReader::File {
  std::string path;
  int descriptor = -1;
  std::size_t size = 0;

  explicit File(const std::string& p) : path(p), descriptor(::open(p.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor < 0) throw_system("open", path);
    struct stat info {};
    if (::fstat(descriptor, &info) != 0) throw_system("read", path);
    size = static_cast<std::size_t>(std::max<off_t>(info.st_size, 0));
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor); }

  void read(std::byte* to, std::size_t bytes, std::size_t offset) const {
    while (bytes > 0) {
      const ssize_t got = ::pread(descriptor, to, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_system("read", path);
      if (got == 0) throw_format(path, "it ends before its data does");
      to += got;
      offset += static_cast<std::size_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }
};

NpyReader::NpyReader(const std::string& path, const NpyLimits& limits) : file_(std::make_unique<File>(path)) {
  std::byte start[12];
  const std::size_t available = std::min(file_->size, sizeof start);
  file_->read(start, available, 0);
  if (available < magic_size || std::memcmp(start, magic, magic_size) != 0) {
    throw_format(path, "it does not start with NumPy's signature");
  }
  if (available < 10) throw_format(path, "it ends within the header");
  const int major = static_cast<int>(start[6]), minor = static_cast<int>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw_format(path, "version " + std::to_string(major) + "." + std::to_string(minor) + " is not 1.0, 2.0 or 3.0");
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (available < 8 + length_bytes) throw_format(path, "it ends within the header");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<std::size_t>(start[8 + i]);
  header_.version = major;
  header_.data_offset = 8 + length_bytes + length;
  if (length > limits.header_bytes) {
    throw_format(path, "its header has " + std::to_string(length) + " bytes, more than the limit of " +
                           std::to_string(limits.header_bytes) + " (NpyLimits::header_bytes)");
  }
  if (header_.data_offset > file_->size) throw_format(path, "it ends within the header");
  std::string text(length, '\0');
  file_->read(reinterpret_cast<std::byte*>(text.data()), length, 8 + length_bytes);
  if (major < 3) text = utf8_from_latin1(text);
  index_t bytes = 0;
  try {
    io::parse_npy_dictionary(text, header_);
    bytes = Layout::contiguous(header_.shape, header_.dtype.itemsize()).nbytes();
  } catch (const Error& error) {
    throw_format(path, error.what());
  }
  const std::size_t present = file_->size - header_.data_offset;
  if (present < static_cast<std::size_t>(bytes)) {
    throw_format(path, "shape " + header_.shape.to_string() + " of " + header_.dtype.name() + " needs " +
                           std::to_string(bytes) + " bytes of data, and it has " + std::to_string(present));
  }
}

NpyReader::NpyReader(NpyReader&&) noexcept = default;
NpyReader& NpyReader::operator=(NpyReader&&) noexcept = default;
NpyReader::~NpyReader() = default;

void NpyReader::read_into(std::byte* base, const Layout& layout) {
  if (!(layout.shape() == header_.shape) || layout.itemsize() != header_.dtype.itemsize()) {
    throw ShapeError("ferry: '" + file_->path + "' holds shape " + header_.shape.to_string() + " of " +
                     header_.dtype.name() + ", and the destination is an array of " + layout.to_string() + " with " +
                     std::to_string(layout.itemsize()) + "-byte elements");
  }
  if (layout.nbytes() == 0) return;
  const Layout dense = Layout::contiguous(header_.shape, layout.itemsize(), header_.order);
  const auto bytes = static_cast<std::size_t>(dense.nbytes());
  // Straight into the destination where it has the file's layout and byte order; else through a block, so that a file
  // that turns out short leaves no half of it behind.
  if (!header_.dtype.is_swapped() && layout.same_elements(dense.with_offset(layout.offset()))) {
    file_->read(base + layout.offset(), bytes, header_.data_offset);
    return;
  }
  std::vector<std::byte> block(bytes);
  file_->read(block.data(), bytes, header_.data_offset);
  if (header_.dtype.is_swapped()) {
    dtypes::swap_elements(header_.dtype, block.data(), static_cast<std::size_t>(layout.size()));
  }
  backend::host_copy(copying::plan_copy(base, layout, block.data(), dense));
}

namespace {

/// A file that is written under another name beside its target, and takes its place when it is complete.
class NewFile {
 public:
  explicit NewFile(const std::string& path)
      : path_(path),
        partial_(path + ".part" + std::to_string(::getpid())),
        descriptor_(::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw_system("write", path_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
      ::unlink(partial_.c_str());
    }
  }
  void write(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = ::write(descriptor_, at, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw_system("write", path_);
      at += written;
      bytes -= static_cast<std::size_t>(written);
    }
  }
  void finish() {
    if (::close(std::exchange(descriptor_, -1)) != 0 || ::rename(partial_.c_str(), path_.c_str()) != 0) {
      const int error = errno;
      ::unlink(partial_.c_str());
      errno = error;
      throw_system("write", path_);
    }
  }

 private:
  std::string path_, partial_;
  int descriptor_;
};

std::string file_start(std::string dictionary) {
  // The oldest version that can hold the text, so that the oldest readers can read it.
  const char version = !is_ascii(dictionary) ? 3 : dictionary.size() + data_alignment > 0xffff ? 2 : 1;
  const bool wide = version > 1;
  const std::size_t before = magic_size + 2 + (wide ? 4 : 2);
  const std::size_t end = (before + dictionary.size() + 1 + data_alignment - 1) / data_alignment * data_alignment;
  dictionary.append(end - before - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string start(magic, magic_size);
  start += version;
  start += '\0';
  for (std::size_t i = 0; i < (wide ? 4u : 2u); ++i) start += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  return start + dictionary;
}

}  // namespace

void write_npy(const std::string& path, const DType& dtype, const std::byte* base, const Layout& layout) {
  const bool fortran = layout.is_f_contiguous() && !layout.is_c_contiguous();
  const std::string start = file_start(io::npy_dictionary(dtype, layout.shape(), fortran));
  NewFile file(path);
  file.write(start.data(), start.size());
  const auto bytes = static_cast<std::size_t>(layout.nbytes());
  if (layout.is_c_contiguous() || fortran) {
    if (bytes > 0) file.write(base + layout.offset(), bytes);
  } else {
    std::vector<std::byte> block(bytes);
    const Layout dense = Layout::contiguous(layout.shape(), layout.itemsize());
    backend::host_copy(copying::plan_copy(block.data(), dense, base, layout));
    file.write(block.data(), bytes);
  }
  file.finish();
}

void detail::check_npy_dtype(const std::string& path, const DType& wanted, const DType& found) {
  if (!dtypes::readable_as(wanted, found)) {
    throw DTypeError("ferry: '" + path + "' holds " + found.name() + ", and " + wanted.name() + " was asked for");
  }
}

}  // namespace ferry::inline v0
