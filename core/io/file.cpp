#include "core/io/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "ferry/error.hpp"

namespace ferry::inline v0::io {

void throw_system(const std::string& what, const std::string& path) {
  throw Error("ferry: cannot " + what + " '" + path + "': " + std::strerror(errno));
}

InputFile::InputFile(const std::string& path) : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw_system("open", path);
  struct stat info {};
  const bool known = ::fstat(descriptor_, &info) == 0;
  // The size of anything else says nothing of its content.
  if (known && S_ISREG(info.st_mode)) {
    size_ = static_cast<std::size_t>(info.st_size);
    return;
  }
  if (known) errno = S_ISDIR(info.st_mode) ? EISDIR : ESPIPE;
  const int error = errno;
  ::close(descriptor_);
  errno = error;
  throw_system("read", path);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::read(std::byte* to, std::size_t bytes, std::size_t offset) const {
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor_, to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_system("read", path_);
    if (got == 0) throw FormatError("ferry: '" + path_ + "' ends before its data does; it has been cut meanwhile");
    to += got;
    offset += static_cast<std::size_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

std::shared_ptr<std::byte> InputFile::map(bool writable) const {
  void* address = ::mmap(nullptr, size_, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                         writable ? MAP_PRIVATE : MAP_SHARED, descriptor_, 0);
  if (address == MAP_FAILED) throw_system("map", path_);
  return {static_cast<std::byte*>(address), [size = size_](std::byte* base) { ::munmap(base, size); }};
}

namespace {

// What a chain of symbolic links leads to; the path itself where there is none, or where it leads nowhere.
std::string resolve_links(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  return resolved != nullptr ? std::string(resolved.get()) : path;
}

// A name beside the target that no other process or thread uses.
std::string partial_name(const std::string& target) {
  static std::atomic<unsigned> count{0};
  return target + ".part" + std::to_string(::getpid()) + "." + std::to_string(count++);
}

// The rename itself must reach the disk too. Not every file system lets a folder be synchronised: then this is all that
// can be done.
void sync_folder(const std::string& target) noexcept {
  const std::size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(::fsync(descriptor));
  ::close(descriptor);
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(resolve_links(path)) {
  struct stat info {};
  const bool exists = ::stat(target_.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw_system("write", path_);
    return;
  }
  // Replacing a file needs no permission to write it, but whoever took that away did not want it replaced.
  if (exists && ::access(target_.c_str(), W_OK) != 0) throw_system("write", path_);
  partial_ = partial_name(target_);
  descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw_system("write", path_);
  if (exists) static_cast<void>(::fchmod(descriptor_, info.st_mode & 07777));
}

OutputFile::~OutputFile() {
  abandon();
}

void OutputFile::abandon() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!partial_.empty()) ::unlink(partial_.c_str());
  partial_.clear();
}

void OutputFile::write(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system("write", path_);
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void OutputFile::finish() {
  const bool whole = partial_.empty() || ::fsync(descriptor_) == 0;
  const bool closed = ::close(std::exchange(descriptor_, -1)) == 0;
  if (!whole || !closed || (!partial_.empty() && ::rename(partial_.c_str(), target_.c_str()) != 0)) {
    const int error = errno;
    abandon();
    errno = error;
    throw_system("write", path_);
  }
  if (!partial_.empty()) sync_folder(target_);
  partial_.clear();
}

}  // namespace ferry::inline v0::io
