// What all arrays share: shape queries and views.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "ferry/config.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/dtype.hpp"
#include "ferry/layout.hpp"
#include "ferry/record_type.hpp"

namespace ferry::inline v0::detail {

// The element type M with the constness of T: a field of a read-only array is read-only.
template <class M, class T>
using like_const = std::conditional_t<std::is_const_v<T>, const M, M>;

/// `Array` is HostArray, NDArray, MappedArray or ManagedArray; every view is an Array again. Views never copy, and keep
/// the memory alive.
/// Array handles alias when copied; `copy()` copies.
template <template <class> class Array, class T>
class ArrayBase {
  static_assert(Element<T>,
                "ferry: an array's elements must be trivially copyable and no pointers, arrays or references, because "
                "they cross between memories byte by byte");

 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;

  /// An empty array of shape (0,), without memory.
  ArrayBase() = default;
  explicit ArrayBase(ArrayHandle&& handle) noexcept : handle_(std::move(handle)) {}
  explicit ArrayBase(const ArrayHandle& handle) : handle_(handle) {}

  const Shape& shape() const noexcept { return handle_.layout.shape(); }
  /// Bytes from one element to the next along each axis.
  const Strides& strides() const noexcept { return handle_.layout.strides(); }
  std::size_t ndim() const noexcept { return handle_.layout.ndim(); }
  /// Number of elements.
  index_t size() const noexcept { return handle_.layout.size(); }
  bool empty() const noexcept { return handle_.layout.empty(); }
  /// size() times the size of an element: what a dense copy takes, not what a view spans.
  index_t nbytes() const noexcept { return handle_.layout.nbytes(); }
  const Layout& layout() const noexcept { return handle_.layout; }
  static const DType& dtype() { return dtype_of<value_type>(); }
  bool is_c_contiguous() const noexcept { return handle_.layout.is_c_contiguous(); }
  bool is_f_contiguous() const noexcept { return handle_.layout.is_f_contiguous(); }
  /// False for a view whose elements lie at addresses that a T cannot have, such as a field of a packed record.
  bool is_aligned() const noexcept {
    return alignof(T) == 1 || (reinterpret_cast<std::uintptr_t>(handle_.base) % alignof(T) == 0 &&
                               handle_.layout.is_aligned(static_cast<index_t>(alignof(T))));
  }

  /// Element (0, …, 0) of any view; null without memory. Use it together with strides().
  /// @throws LayoutError when is_aligned() is false, since a T* must not point there; LifetimeError for a view that has
  /// outlived its scope
  T* data() const {
    if (handle_.scoped) check_open(handle_);
    if (!is_aligned()) throw_misaligned("data", dtype(), handle_.layout);
    return reinterpret_cast<T*>(handle_.data());
  }
  /// As data(), for code that will read size() elements in a row.
  /// @throws LayoutError unless the array is C-contiguous
  T* contiguous_data() const {
    if (!is_c_contiguous()) throw_not_contiguous("contiguous_data", dtype(), handle_.layout);
    return data();
  }

  Device device() const { return device_of(handle_); }
  MemoryKind memory_kind() const { return kind_of(handle_); }
  /// The bound stream, which calls use that name none; unset unless bound.
  const Stream& stream() const noexcept { return handle_.stream; }
  /// The same elements, bound to another stream.
  Array<T> bind(const Stream& stream) const {
    ArrayHandle bound = handle_;
    bound.stream = stream;
    return Array<T>(std::move(bound));
  }
  /// Tells Ferry of work on `stream` that it did not queue itself, such as a raw kernel: the memory is not freed
  /// before.
  void used_on(const Stream& stream) const { note_use(handle_, stream); }

  /// NumPy's basic indexing: integers, slice(…), newaxis, ellipsis.
  /// @throws IndexError for an integer out of range, too many entries, or a step of 0
  template <IndexLike... I>
  Array<T> view(I... entries) const {
    if constexpr (sizeof...(I) == 0) {
      return view_of(layouts::index(handle_.layout, nullptr, 0));
    } else {
      const IndexEntry list[] = {IndexEntry(entries)...};
      return view_of(layouts::index(handle_.layout, list, sizeof...(I)));
    }
  }

  Array<T> transpose() const { return view_of(layouts::transpose(handle_.layout)); }
  /// Axis i of the result is axis axes[i] of this array.
  Array<T> permute(const Axes& axes) const { return view_of(layouts::permute(handle_.layout, axes)); }
  Array<T> squeeze() const { return view_of(layouts::squeeze(handle_.layout)); }
  Array<T> squeeze(const Axes& axes) const { return view_of(layouts::squeeze(handle_.layout, axes)); }
  Array<T> flip(index_t axis) const { return view_of(layouts::flip(handle_.layout, axis)); }
  /// Read-only, since its elements alias each other.
  Array<const T> broadcast_to(const Shape& shape) const {
    return Array<const T>(ArrayHandle(handle_, layouts::broadcast_to(handle_.layout, shape)));
  }
  /// The same bytes as elements of another type; see layouts::view_as.
  template <class U>
  Array<like_const<U, T>> view_as() const {
    return Array<like_const<U, T>>(ArrayHandle(handle_, layouts::view_as(handle_.layout, sizeof(U))));
  }
  /// Any strides (bytes) over the same memory, `offset` bytes after this array's first element.
  /// @throws LayoutError when an element would lie outside the allocation
  Array<T> as_strided(const Shape& shape, const Strides& strides, index_t offset = 0) const {
    return view_of(detail::as_strided(handle_, shape, strides, offset));
  }

  /// One member of every element, as a view: particles.field(&Particle::mass). An array member adds its axes.
  template <class M, class C>
  requires(std::is_object_v<M>&& has_members_of<C, value_type>) auto field(M C::*member) const {
    using Scalar = member_scalar_t<M>;
    return Array<like_const<Scalar, T>>(
        ArrayHandle(handle_, layouts::field(handle_.layout, member_offset(static_cast<M value_type::*>(member)),
                                            sizeof(Scalar), shape_of_member<M>())));
  }
  /// The same by name, for types described by FERRY_RECORD.
  /// @throws DTypeError when there is no such field, or when it is not a M
  template <class M>
  Array<like_const<M, T>> field(std::string_view name) const {
    const Field& found = dtype().field(name);
    if (!(found.dtype == dtype_of<M>())) throw_dtype_mismatch("field", dtype_of<M>(), found.dtype);
    return Array<like_const<M, T>>(
        ArrayHandle(handle_, layouts::field(handle_.layout, found.offset, sizeof(M), found.shape)));
  }

  /// The same elements, read in `order`, under a new shape, one extent of which may be -1. A view where strides can
  /// express it, else as `copy` says. Never permutes; a copy is made on the bound stream and complete on return.
  /// @throws ShapeError naming both shapes; LayoutError when a copy is needed and forbidden
  Array<T> reshape(const Shape& shape, Order order = Order::C, Copy copy = Copy::if_needed) const {
    return Array<T>(detail::reshape(handle_, dtype(), shape, order, copy, {}));
  }
  template <Integer... I>
  requires(sizeof...(I) > 0) Array<T> reshape(I... extents)
  const { return reshape(Shape(extents...)); }
  /// One dimension, elements read in `order`: a view where possible.
  Array<T> ravel(Order order = Order::C, Copy copy = Copy::if_needed) const {
    return Array<T>(detail::ravel(handle_, dtype(), order, copy, {}));
  }

  /// Views of `section` elements along `axis`; the last may be smaller.
  std::vector<Array<T>> split(index_t section, index_t axis = 0) const {
    return collect(layouts::section_count(handle_.layout, section, axis),
                   [&](std::size_t k) { return layouts::section(handle_.layout, section, axis, k); });
  }

  const ArrayHandle& handle() const noexcept { return handle_; }

  /// `parts` views along an axis, the first of which are longer by one element where the parts cannot be equal.
  friend std::vector<Array<T>> array_split(const Array<T>& array, index_t parts, index_t axis = 0) {
    return array.collect(layouts::part_count(array.layout(), parts, axis, false),
                         [&](std::size_t k) { return layouts::array_split(array.layout(), parts, axis, k); });
  }
  /// `parts` views of the same length along an axis.
  /// @throws ShapeError when it does not divide
  friend std::vector<Array<T>> split_equally(const Array<T>& array, index_t parts, index_t axis = 0) {
    return array.collect(layouts::part_count(array.layout(), parts, axis, true),
                         [&](std::size_t k) { return layouts::array_split(array.layout(), parts, axis, k); });
  }
  /// Views between the indices given, with the rules of slices: one more than there are indices.
  friend std::vector<Array<T>> split_at(const Array<T>& array, const Dims& indices, index_t axis = 0) {
    return array.collect(indices.size() + 1,
                         [&](std::size_t k) { return layouts::split_at(array.layout(), indices, axis, k); });
  }

 protected:
  // By reference: a Layout is large enough for a needless move to show in the cost of a view.
  Array<T> view_of(Layout&& layout) const { return Array<T>(ArrayHandle(handle_, std::move(layout))); }
  template <class F>
  std::vector<Array<T>> collect(std::size_t count, F&& layout_of_part) const {
    std::vector<Array<T>> parts;
    parts.reserve(count);
    for (std::size_t k = 0; k < count; ++k) parts.push_back(view_of(layout_of_part(k)));
    return parts;
  }

  ArrayHandle handle_;
};

}  // namespace ferry::inline v0::detail
