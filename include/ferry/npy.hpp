// NumPy's .npy files, read, mapped and written without Python.
#pragma once

#include <memory>
#include <string>

#include "ferry/any_array.hpp"
#include "ferry/config.hpp"
#include "ferry/dtype.hpp"
#include "ferry/host_array.hpp"
#include "ferry/layout.hpp"
#include "ferry/nd_array.hpp"

namespace ferry::inline v0 {

namespace io {
class InputFile;
}

/// What a .npy file says of its content.
struct NpyHeader {
  DType dtype;  ///< in the file's byte order; a record's alignment, which no file tells, is 1
  Shape shape;
  Order order = Order::C;
  int version = 1;              ///< 1, 2 or 3
  std::size_t data_offset = 0;  ///< bytes before the first element
};

/// What a reader accepts.
struct NpyLimits {
  /// Longest header in bytes. Large records have long headers, but nothing honest needs more than this.
  std::size_t header_bytes = 1 << 20;
};

/// How a file's elements are mapped into memory.
enum class MapMode : unsigned char {
  read_only,     ///< the array is read-only, and the pages are those of the file
  copy_on_write  ///< the array may be written; what is written stays in this process
};

/// An open .npy file whose header, and whose size, have been checked: nothing that the header claims is believed before
/// the file has been seen to hold it.
class FERRY_EXPORT NpyReader {
 public:
  /// @throws FormatError naming the file and what is wrong with it; Error when it cannot be opened
  explicit NpyReader(const std::string& path, const NpyLimits& limits = {});
  NpyReader(NpyReader&&) noexcept;
  NpyReader& operator=(NpyReader&&) noexcept;
  ~NpyReader();

  const NpyHeader& header() const noexcept { return header_; }
  /// Reads all elements into host memory of any layout of the file's shape, in this machine's byte order. A boolean is
  /// true when its byte is not 0.
  /// @throws FormatError when the file has been cut meanwhile; ShapeError when the shapes differ
  void read_into(std::byte* base, const Layout& layout) const;
  /// All elements in new pageable memory, in the file's memory order and byte order.
  AnyArray read() const;
  /// All elements where the system maps the file: nothing is read before it is touched, and the mapping lives as long
  /// as the last view, also when the file is replaced by another of its name. Cutting a mapped file kills those who
  /// touch what is gone (SIGBUS). Elements that the file holds at addresses not divisible by the type's alignment, or
  /// by `alignment`, are read instead.
  AnyArray map(MapMode mode = MapMode::read_only, index_t alignment = 1) const;

 private:
  std::unique_ptr<io::InputFile> file_;
  NpyHeader header_;
};

/// Writes host memory of any layout in logical order; an array that is F- but not C-contiguous is written in F order,
/// as NumPy does. The file appears whole or not at all, also after a crash.
/// @throws Error with the system's reason; DTypeError for what the format cannot express: bfloat16, overlapping fields
FERRY_EXPORT void write_npy(const std::string& path, const DType& dtype, const std::byte* base, const Layout& layout);

namespace detail {
/// @throws DTypeError naming both when the file's elements, byte order aside, are not `wanted`
FERRY_EXPORT void check_npy_dtype(const std::string& path, const DType& wanted, const DType& found);
}  // namespace detail

/// Reads a file of T into a new array in pageable memory, in the file's memory order and this machine's byte order.
/// @throws FormatError, DTypeError naming both types
template <Element T>
HostArray<T> load_npy(const std::string& path, const NpyLimits& limits = {}) {
  const NpyReader reader(path, limits);
  detail::check_npy_dtype(path, dtype_of<T>(), reader.header().dtype);
  HostArray<T> array = host_array<T>(reader.header().shape, {.order = reader.header().order});
  reader.read_into(array.handle().base, array.layout());
  return array;
}
/// Reads a file of any type into a new array in pageable memory, in the file's memory order and byte order.
FERRY_EXPORT AnyArray load_npy(const std::string& path, const NpyLimits& limits = {});

/// Maps a file of T; see NpyReader::map. map_npy<const T> is read-only, map_npy<T> copies what is written. Elements of
/// the other byte order are converted into memory.
/// @throws FormatError, DTypeError naming both types
template <Element T>
HostArray<T> map_npy(const std::string& path, const NpyLimits& limits = {}) {
  const NpyReader reader(path, limits);
  detail::check_npy_dtype(path, dtype_of<std::remove_const_t<T>>(), reader.header().dtype);
  return reader.map(std::is_const_v<T> ? MapMode::read_only : MapMode::copy_on_write, alignof(T)).template as<T>();
}
/// Maps a file of any type.
FERRY_EXPORT AnyArray map_npy(const std::string& path, MapMode mode = MapMode::read_only, const NpyLimits& limits = {});

/// Writes an array of any strides.
template <class T>
void save_npy(const std::string& path, const HostArray<T>& array) {
  write_npy(path, array.dtype(), array.handle().base, array.layout());
}
/// Brings the elements to the host first.
template <class T>
void save_npy(const std::string& path, const NDArray<T>& array) {
  save_npy(path, array.copy_to_host());
}
/// An array of any type, wherever it lies, in its own byte order.
FERRY_EXPORT void save_npy(const std::string& path, const AnyArray& array);

}  // namespace ferry::inline v0
