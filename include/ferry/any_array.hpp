// AnyArray: an n-dimensional array whose element type is known at run time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ferry/config.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/dtype.hpp"
#include "ferry/host_array.hpp"
#include "ferry/layout.hpp"
#include "ferry/nd_array.hpp"
#include "ferry/options.hpp"
#include "ferry/transfer.hpp"

namespace ferry::inline v0 {

class AnyArray;

namespace detail {
/// HostArray, NDArray and their like: an element type, its description, and a handle.
template <class A>
concept TypedArray = !std::is_same_v<A, AnyArray> && requires(const A& array) {
  typename A::element_type;
  { array.handle() } -> std::same_as<const ArrayHandle&>;
  { A::dtype() } -> std::same_as<const DType&>;
};
}  // namespace detail

/// An array in host or device memory whose element type is a value, as files and foreign libraries bring it: also types
/// that C++ has no name for, such as a record made up at run time, or numbers of the other byte order. A shared handle,
/// like the typed arrays: copies alias, copy() copies, views keep the memory alive, and a call that names no stream is
/// complete on return. as<T>() and as_device<T>() lead to the typed arrays, and those convert to this one by
/// themselves.
class FERRY_EXPORT AnyArray {
 public:
  /// Empty, of shape (0,), raw bytes, without memory.
  AnyArray() = default;
  /// The same elements as a typed array's. Read-only when the element type is const.
  template <detail::TypedArray A>
  AnyArray(const A& array)  // NOLINT(google-explicit-constructor)
      : AnyArray(A::dtype(), array.handle(), std::is_const_v<typename A::element_type>) {}
  /// For Ferry's own layers.
  AnyArray(DType dtype, detail::ArrayHandle handle, bool read_only)
      : dtype_(std::move(dtype)), read_only_(read_only), handle_(std::move(handle)) {}

  const DType& dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return handle_.layout.shape(); }
  /// Bytes from one element to the next along each axis.
  const Strides& strides() const noexcept { return handle_.layout.strides(); }
  std::size_t ndim() const noexcept { return handle_.layout.ndim(); }
  /// Number of elements.
  index_t size() const noexcept { return handle_.layout.size(); }
  bool empty() const noexcept { return handle_.layout.empty(); }
  /// size() times the size of an element.
  index_t nbytes() const noexcept { return handle_.layout.nbytes(); }
  const Layout& layout() const noexcept { return handle_.layout; }
  bool is_c_contiguous() const noexcept { return handle_.layout.is_c_contiguous(); }
  bool is_f_contiguous() const noexcept { return handle_.layout.is_f_contiguous(); }
  /// Whether every element lies at a multiple of dtype().alignment().
  bool is_aligned() const noexcept;
  /// True for memory that must not be written: an array of const elements, a broadcast view, a read-only file.
  bool is_read_only() const noexcept { return read_only_; }
  /// Whether the elements lie in host memory, pageable or page-locked. False for device memory, also of the host
  /// device, so that programs tried there run on a GPU too.
  bool is_on_host() const;
  Device device() const { return detail::device_of(handle_); }
  MemoryKind memory_kind() const { return detail::kind_of(handle_); }
  /// Element (0, …, 0); null without memory. Use it together with strides(), on the device that the memory belongs to.
  const std::byte* data() const noexcept { return handle_.data(); }
  /// @throws AccessError when the array is read-only
  std::byte* mutable_data() const;

  /// The bound stream, which calls use that name none; unset unless bound.
  const Stream& stream() const noexcept { return handle_.stream; }
  /// The same elements, bound to another stream.
  AnyArray bind(const Stream& stream) const;
  /// Tells Ferry of work on `stream` that it did not queue itself.
  void used_on(const Stream& stream) const { detail::note_use(handle_, stream); }

  /// The same elements as an array of T in host memory: a view, unless the byte order is the other one; those elements
  /// are converted into a new array. A T that is const takes read-only arrays too. A struct without FERRY_RECORD takes
  /// every element of its size.
  /// @throws DTypeError naming both types; AccessError for device memory, and for read-only memory when T is not const
  template <Element T>
  HostArray<T> as() const {
    return HostArray<T>(typed("as", dtype_of<std::remove_const_t<T>>(), std::is_const_v<T>, true));
  }
  /// The same for device memory. Elements of the other byte order pass through the host to be converted.
  template <Element T>
  NDArray<T> as_device() const {
    return NDArray<T>(typed("as_device", dtype_of<std::remove_const_t<T>>(), std::is_const_v<T>, false));
  }
  /// One element's value, wherever it lies and whatever its byte order. Complete on return.
  /// @throws DTypeError naming both types; IndexError; ShapeError when the indices are not one for each axis
  template <Element T, detail::Integer... I>
  T item(I... index) const {
    T value{};
    view(index...).read_item(sizeof...(I), dtype_of<T>(), &value);
    return value;
  }

  /// One member of every element of a record array, as a view; a sub-array member adds its axes at the end.
  /// @throws DTypeError when the elements are no records, or have no such field
  AnyArray field(std::string_view name) const;
  /// One element of a record array, of rank 0: its fields are again views.
  /// @throws DTypeError when the elements are no records; IndexError; ShapeError when an index is missing
  template <detail::Integer... I>
  AnyArray record(I... index) const {
    return view(index...).as_record(sizeof...(I));
  }

  /// NumPy's basic indexing: integers, slice(…), newaxis, ellipsis. Also for integers alone: a(3, 4) has rank 0.
  /// @throws IndexError for an integer out of range, too many entries, or a step of 0
  template <IndexLike... I>
  AnyArray view(I... entries) const {
    if constexpr (sizeof...(I) == 0) {
      return view_of(layouts::index(handle_.layout, nullptr, 0));
    } else {
      const IndexEntry list[] = {IndexEntry(entries)...};
      return view_of(layouts::index(handle_.layout, list, sizeof...(I)));
    }
  }
  template <IndexLike... I>
  AnyArray operator()(I... entries) const {
    return view(entries...);
  }
  AnyArray transpose() const { return view_of(layouts::transpose(handle_.layout)); }
  /// Axis i of the result is axis axes[i] of this array.
  AnyArray permute(const Axes& axes) const { return view_of(layouts::permute(handle_.layout, axes)); }
  AnyArray squeeze() const { return view_of(layouts::squeeze(handle_.layout)); }
  AnyArray squeeze(const Axes& axes) const { return view_of(layouts::squeeze(handle_.layout, axes)); }
  AnyArray flip(index_t axis) const { return view_of(layouts::flip(handle_.layout, axis)); }
  /// Read-only, since its elements alias each other.
  AnyArray broadcast_to(const Shape& shape) const;
  /// The same bytes as elements of another type; see layouts::view_as.
  AnyArray view_as(const DType& dtype) const;
  /// Any strides (bytes) over the same memory, `offset` bytes after this array's first element.
  /// @throws LayoutError when an element would lie outside the allocation
  AnyArray as_strided(const Shape& shape, const Strides& strides, index_t offset = 0) const;
  /// The same elements, read in `order`, under a new shape, one extent of which may be -1; see NDArray::reshape.
  /// @throws ShapeError naming both shapes; LayoutError when a copy is needed and forbidden
  AnyArray reshape(const Shape& shape, Order order = Order::C, Copy copy = Copy::if_needed) const;
  template <detail::Integer... I>
  requires(sizeof...(I) > 0) AnyArray reshape(I... extents)
  const { return reshape(Shape(extents...)); }
  AnyArray ravel(Order order = Order::C, Copy copy = Copy::if_needed) const;
  /// Views of `section` elements along `axis`; the last may be smaller.
  std::vector<AnyArray> split(index_t section, index_t axis = 0) const;

  /// A dense array with the same elements, type and byte order, in memory of the same kind and device.
  AnyArray copy(Order order = Order::K, const Stream& stream = {}) const;
  /// The same elements in this machine's byte order: this array where they are, else a new one.
  AnyArray to_native() const;
  /// Converts each element by NumPy's rules, into a dense array of the same place; see NDArray::astype. `dtype` may
  /// have the other byte order if the array is on the host.
  /// @throws DTypeError for types between which there is no conversion, such as two different records
  AnyArray astype(const DType& dtype, Order order = Order::K) const;

  /// A new dense array in pageable host memory, of the same type and byte order.
  AnyArray copy_to_host() const;
  /// As above on a stream, into page-locked memory.
  Pending<AnyArray> copy_to_host(const Stream& stream) const;
  /// Into existing memory of the same shape up to axes of length 1, of the same type and byte order.
  /// @throws ShapeError, DTypeError naming both types, AccessError when the destination is read-only or on the device
  void copy_to_host(const AnyArray& destination) const;
  Transfer copy_to_host(const AnyArray& destination, const Stream& stream) const;
  /// From host or device memory into this array.
  /// @throws as copy_to_host; AccessError when this array is on the host
  void copy_to_device(const AnyArray& source) const;
  Transfer copy_to_device(const AnyArray& source, const Stream& stream) const;
  /// Writes the elements of `source`, of the same type, broadcast to this shape, wherever both lie.
  void assign(const AnyArray& source) const;
  Transfer assign(const AnyArray& source, const Stream& stream) const;

  /// Same shape and field names, and all elements equal, whatever the byte order; bytes between fields do not count.
  /// Device arrays are brought to the host.
  friend FERRY_EXPORT bool operator==(const AnyArray& a, const AnyArray& b);

  /// As NumPy prints it. A device array is brought to the host first.
  std::string to_string() const;
  template <class Stream>
  requires requires(Stream& out, const std::string& text) { out << text; }
  friend Stream& operator<<(Stream& out, const AnyArray& array) {
    out << array.to_string();
    return out;
  }

  const detail::ArrayHandle& handle() const noexcept { return handle_; }

  friend FERRY_EXPORT std::vector<AnyArray> array_split(const AnyArray& array, index_t parts, index_t axis);
  friend FERRY_EXPORT std::vector<AnyArray> split_at(const AnyArray& array, const Dims& indices, index_t axis);

 private:
  AnyArray view_of(Layout&& layout) const {
    return AnyArray(dtype_, detail::ArrayHandle(handle_, std::move(layout)), read_only_);
  }
  AnyArray on_host() const;
  AnyArray as_record(std::size_t indices) const;
  void read_item(std::size_t indices, const DType& wanted, void* value) const;
  detail::ArrayHandle typed(const char* call, const DType& wanted, bool const_elements, bool host) const;
  Transfer write(const char* call, const AnyArray& source, detail::Match match, const Stream& named,
                 const AnyArray& self) const;

  DType dtype_;
  bool read_only_ = false;
  detail::ArrayHandle handle_;
};

/// `parts` parts, the first ones longer by one where it does not divide.
FERRY_EXPORT std::vector<AnyArray> array_split(const AnyArray& array, index_t parts, index_t axis = 0);
/// Part k is [indices[k-1] : indices[k]] with Python's slice rules.
FERRY_EXPORT std::vector<AnyArray> split_at(const AnyArray& array, const Dims& indices, index_t axis = 0);

namespace detail {
FERRY_EXPORT AnyArray allocate_any(const char* call, MemoryKind kind, const Shape& shape, const DType& dtype,
                                   const Alloc& options);
}

/// Uninitialised arrays of a type known at run time; see the calls of the same names for arrays of T. (Templates, lest
/// the {} in device_array({3}, {}) be read as a type.)
template <std::same_as<DType> D>
AnyArray host_array(const Shape& shape, const D& dtype, const Alloc& options = {}) {
  return detail::allocate_any("host_array", MemoryKind::pageable, shape, dtype, options);
}
template <std::same_as<DType> D>
AnyArray pinned_array(const Shape& shape, const D& dtype, const Alloc& options = {}) {
  return detail::allocate_any("pinned_array", MemoryKind::pinned, shape, dtype, options);
}
template <std::same_as<DType> D>
AnyArray device_array(const Shape& shape, const D& dtype, const Alloc& options = {}) {
  return detail::allocate_any("device_array", MemoryKind::device, shape, dtype, options);
}

/// Foreign memory as an array of a type known at run time: `data` is element (0, …, 0), strides are bytes (none: dense,
/// C order). `owner`, if any, is released when the last view is gone and the work that Ferry knows of is done.
FERRY_EXPORT AnyArray host_view(void* data, const DType& dtype, const Shape& shape, const Strides& strides = {},
                                std::shared_ptr<void> owner = {});
FERRY_EXPORT AnyArray host_view(const void* data, const DType& dtype, const Shape& shape, const Strides& strides = {},
                                std::shared_ptr<void> owner = {});
FERRY_EXPORT AnyArray wrap(void* data, const DType& dtype, const Shape& shape, const Strides& strides = {},
                           const Device& device = {}, std::shared_ptr<void> owner = {});

/// For to_device of an AnyArray.
template <>
struct ToDevice<AnyArray> {
  Order order = Order::K;              ///< of the device array; K keeps the source's axis order
  Stream stream = {};                  ///< queues the transfer, and is bound to the array
  Device device = {};                  ///< default_device() when neither is set
  MemoryResource* resource = nullptr;  ///< the device's own when null
  std::string_view label = {};         ///< shown in reports of live memory
  bool transfer = true;                ///< false: allocate only, the content is undefined
  AnyArray* to = nullptr;              ///< copy into this array instead of allocating; the result aliases it
};

namespace detail {
FERRY_EXPORT AnyArray upload_any(const AnyArray& source, const ToDevice<AnyArray>& options);
}

/// Allocates on the device and copies an array of any strides, in this machine's byte order, since kernels know no
/// other. Complete on return unless options name a stream. (A template, lest an NDArray become an AnyArray here and be
/// copied where none was meant to be.)
template <std::same_as<AnyArray> A>
AnyArray to_device(const A& source, const ToDevice<AnyArray>& options = {}) {
  return detail::upload_any(source, options);
}

}  // namespace ferry::inline v0
