// NumPy's .npy files, read and written without Python.
#pragma once

#include <memory>
#include <string>

#include "ferry/config.hpp"
#include "ferry/dtype.hpp"
#include "ferry/host_array.hpp"
#include "ferry/layout.hpp"
#include "ferry/nd_array.hpp"

namespace ferry::inline v0 {

/// What a .npy file says of its content.
struct NpyHeader {
  DType dtype;
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
  /// Reads all elements into host memory of any layout of the file's shape, in this machine's byte order.
  /// @throws FormatError when the file has changed meanwhile; ShapeError when the shapes differ
  void read_into(std::byte* base, const Layout& layout);

 private:
  struct File;
  std::unique_ptr<File> file_;
  NpyHeader header_;
};

/// Writes host memory of any layout in logical order; an array that is F- but not C-contiguous is written in F order,
/// as NumPy does. The file appears whole or not at all.
/// @throws Error with the system's reason
FERRY_EXPORT void write_npy(const std::string& path, const DType& dtype, const std::byte* base, const Layout& layout);

namespace detail {
/// @throws DTypeError naming both when the file's elements, byte order aside, are not `wanted`
FERRY_EXPORT void check_npy_dtype(const std::string& path, const DType& wanted, const DType& found);
}  // namespace detail

/// Reads a file of T into a new array in pageable memory, in the file's memory order.
/// @throws FormatError, DTypeError naming both types
template <Element T>
HostArray<T> load_npy(const std::string& path, const NpyLimits& limits = {}) {
  NpyReader reader(path, limits);
  detail::check_npy_dtype(path, dtype_of<T>(), reader.header().dtype);
  HostArray<T> array = host_array<T>(reader.header().shape, {.order = reader.header().order});
  reader.read_into(array.handle().base, array.layout());
  return array;
}

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

}  // namespace ferry::inline v0
