#include "ferry/npy.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/copy/plan.hpp"
#include "core/dtype/byte_order.hpp"
#include "core/io/file.hpp"
#include "core/io/npy_header.hpp"
#include "core/io/utf8.hpp"
#include "ferry/backend/strided.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0 {

namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr std::size_t magic_size = 6;
constexpr std::size_t data_alignment = 64;  // NumPy's, so that the data can be mapped and read by vector loads

[[noreturn]] void throw_format(const std::string& path, const std::string& why) {
  throw FormatError("ferry: '" + path + "' is no .npy file that can be read: " + why);
}

}  // namespace

NpyReader::NpyReader(const std::string& path, const NpyLimits& limits) : file_(std::make_unique<io::InputFile>(path)) {
  std::byte start[12];
  const std::size_t available = std::min(file_->size(), sizeof start);
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
  if (header_.data_offset > file_->size()) throw_format(path, "it ends within the header");
  std::string text(length, '\0');
  file_->read(reinterpret_cast<std::byte*>(text.data()), length, 8 + length_bytes);
  // Versions 1 and 2 hold Latin-1, version 3 UTF-8, which is what Ferry's field names are.
  if (major < 3) text = io::utf8_from_latin1(text);
  if (!io::is_utf8(text)) throw_format(path, "its header is not UTF-8");
  index_t bytes = 0;
  try {
    io::parse_npy_dictionary(text, header_);
    bytes = Layout::contiguous(header_.shape, header_.dtype.itemsize()).nbytes();
  } catch (const Error& error) {
    throw_format(path, error.what());
  }
  const std::size_t present = file_->size() - header_.data_offset;
  if (present < static_cast<std::size_t>(bytes)) {
    throw_format(path, "shape " + header_.shape.to_string() + " of " + header_.dtype.name() + " needs " +
                           std::to_string(bytes) + " bytes of data, and it has " + std::to_string(present));
  }
}

NpyReader::NpyReader(NpyReader&&) noexcept = default;
NpyReader& NpyReader::operator=(NpyReader&&) noexcept = default;
NpyReader::~NpyReader() = default;

void NpyReader::read_into(std::byte* base, const Layout& layout) const {
  if (!(layout.shape() == header_.shape) || layout.itemsize() != header_.dtype.itemsize()) {
    throw ShapeError("ferry: '" + file_->path() + "' holds shape " + header_.shape.to_string() + " of " +
                     header_.dtype.name() + ", and the destination is an array of " + layout.to_string() + " with " +
                     std::to_string(layout.itemsize()) + "-byte elements");
  }
  if (layout.nbytes() == 0) return;
  const Layout dense = Layout::contiguous(header_.shape, layout.itemsize(), header_.order);
  const auto bytes = static_cast<std::size_t>(dense.nbytes()), count = static_cast<std::size_t>(layout.size());
  const auto read_dense = [&](std::byte* to) {
    file_->read(to, bytes, header_.data_offset);
    dtypes::swap_elements(header_.dtype, to, count);
    dtypes::settle_booleans(header_.dtype, to, count);
  };
  // Straight into the destination where it has the file's layout; else through a block.
  if (layout.same_elements(dense.with_offset(layout.offset()))) return read_dense(base + layout.offset());
  std::vector<std::byte> block(bytes);
  read_dense(block.data());
  backend::host_copy(copying::plan_copy(base, layout, block.data(), dense));
}

AnyArray NpyReader::read() const {
  AnyArray array = host_array(header_.shape, header_.dtype, {.order = header_.order});
  if (array.nbytes() == 0) return array;
  const auto count = static_cast<std::size_t>(array.size());
  file_->read(array.mutable_data(), static_cast<std::size_t>(array.nbytes()), header_.data_offset);
  dtypes::settle_booleans(header_.dtype, array.mutable_data(), count);
  return array;
}

AnyArray NpyReader::map(MapMode mode, index_t alignment) const {
  const Layout layout = Layout::contiguous(header_.shape, header_.dtype.itemsize(), header_.order);
  const auto needed = static_cast<std::size_t>(std::max(alignment, header_.dtype.alignment()));
  const bool read_only = mode == MapMode::read_only;
  if (layout.nbytes() == 0 || header_.data_offset % needed != 0) {
    const AnyArray array = read();
    return {array.dtype(), array.handle(), read_only};
  }
  const std::shared_ptr<std::byte> mapping = file_->map(!read_only);
  return {header_.dtype,
          detail::wrap_memory("map_npy", mapping.get() + header_.data_offset, layout.shape(), layout.strides(),
                              layout.itemsize(), MemoryKind::pageable, Device("host"), mapping),
          read_only};
}

AnyArray load_npy(const std::string& path, const NpyLimits& limits) {
  return NpyReader(path, limits).read();
}

AnyArray map_npy(const std::string& path, MapMode mode, const NpyLimits& limits) {
  return NpyReader(path, limits).map(mode);
}

namespace {

std::string file_start(std::string dictionary) {
  // The oldest version that can hold the text, so that the oldest readers can read it.
  const char version = !io::is_ascii(dictionary) ? 3 : dictionary.size() + data_alignment > 0xffff ? 2 : 1;
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
  io::OutputFile file(path);
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

void save_npy(const std::string& path, const AnyArray& array) {
  const AnyArray host = array.is_on_host() ? array : array.copy_to_host();
  write_npy(path, host.dtype(), host.handle().base, host.layout());
}

}  // namespace ferry::inline v0
