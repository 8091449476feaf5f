// HostArray: an n-dimensional array that the host reads and writes.
#pragma once

#include <iosfwd>
#include <iterator>

#include "ferry/config.hpp"
#include "ferry/detail/array_base.hpp"
#include "ferry/detail/array_kinds.hpp"
#include "ferry/options.hpp"
#include "ferry/print.hpp"

namespace ferry::inline v0 {

namespace detail {

/// Walks an array of any strides in C order.
template <class T>
class ElementIterator {
 public:
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using pointer = T*;
  using iterator_category = std::forward_iterator_tag;

  ElementIterator() = default;
  ElementIterator(std::byte* data, const Layout& layout, index_t position)
      : layout_(&layout), at_(data), index_(Dims::filled(layout.ndim(), 0)), position_(position) {}

  T& operator*() const noexcept { return *reinterpret_cast<T*>(at_); }
  T* operator->() const noexcept { return reinterpret_cast<T*>(at_); }
  ElementIterator& operator++() noexcept {
    ++position_;
    for (std::size_t axis = layout_->ndim(); axis-- > 0;) {
      const index_t extent = layout_->shape()[axis], stride = layout_->strides()[axis];
      at_ += stride;
      if (++index_[axis] < extent) break;
      at_ -= stride * extent;
      index_[axis] = 0;
    }
    return *this;
  }
  ElementIterator operator++(int) {
    ElementIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const ElementIterator& a, const ElementIterator& b) noexcept {
    return a.position_ == b.position_;
  }

 private:
  const Layout* layout_ = nullptr;
  std::byte* at_ = nullptr;
  Dims index_;
  index_t position_ = 0;
};

}  // namespace detail

/// An array in host memory: pageable, page-locked, or a view of memory that somebody else owns. A shared handle, as in
/// NumPy: copies alias, copy() copies. Elements are reached directly; whoever starts asynchronous transfers must wait
/// for them before touching the elements.
template <class T>
class HostArray : public detail::ArrayBase<HostArray, T> {
  using Base = detail::ArrayBase<HostArray, T>;

 public:
  using Base::Base;
  using typename Base::value_type;
  HostArray() = default;
  HostArray(const HostArray&) = default;
  HostArray(HostArray&&) noexcept = default;
  // Rebinding a temporary would look like writing to the view it names; assign() writes.
  HostArray& operator=(const HostArray&) & = default;
  HostArray& operator=(HostArray&&) & noexcept = default;
  ~HostArray() = default;
  /// A read-only handle to the same elements.
  template <class U>
  requires(std::is_same_v<const U, T>) HostArray(const HostArray<U>& other)
      : Base(other.handle()) {}  // NOLINT(google-explicit-constructor)

  /// One element; negative indices count from the end.
  /// @throws IndexError; LayoutError when is_aligned() is false
  template <detail::Integer... I>
  T& operator()(I... index) const {
    const index_t list[sizeof...(I) + 1] = {static_cast<index_t>(index)..., 0};
    const Layout& layout = this->handle_.layout;
    index_t byte = layout.offset();
    if (layout.ndim() != sizeof...(I)) detail::throw_index_error(layout, list, sizeof...(I));
    for (std::size_t axis = 0; axis < sizeof...(I); ++axis) {
      const index_t extent = layout.shape()[axis];
      const index_t i = list[axis] < 0 ? list[axis] + extent : list[axis];
      if (i < 0 || i >= extent) detail::throw_index_error(layout, list, sizeof...(I));
      byte += i * layout.strides()[axis];
    }
    std::byte* address = this->handle_.base + byte;
    if (alignof(T) > 1 && reinterpret_cast<std::uintptr_t>(address) % alignof(T) != 0) {
      detail::throw_misaligned("operator()", this->dtype(), layout);
    }
    return *reinterpret_cast<T*>(address);
  }
  /// A view; see ArrayBase::view.
  template <IndexLike... I>
  requires(!(detail::Integer<I> && ...)) HostArray operator()(I... entries) const { return this->view(entries...); }

  /// All elements in C order, whatever the strides. Iterators live as long as this handle.
  /// @throws LayoutError when is_aligned() is false
  auto begin() const {
    return detail::ElementIterator<T>(reinterpret_cast<std::byte*>(const_cast<value_type*>(this->data())),
                                      this->handle_.layout, 0);
  }
  auto end() const { return detail::ElementIterator<T>(nullptr, this->handle_.layout, this->size()); }

  /// A dense array of the same elements in memory of the same kind; of memory that the device reaches too, in memory of
  /// the host alone.
  HostArray<value_type> copy(Order order = Order::K) const {
    return HostArray<value_type>(detail::copy_dense("copy", this->handle_, this->dtype(), order, {}));
  }
  /// Converts each element by NumPy's rules; out of range saturates and NaN becomes 0 when the target is an integer.
  template <Element U>
  HostArray<U> astype(Order order = Order::K) const {
    return HostArray<U>(detail::convert_elements(this->handle_, this->dtype(), dtype_of<U>(), order, {}));
  }
  void fill(const value_type& value) const requires(!std::is_const_v<T>) {
    detail::fill_elements("fill", this->handle_, this->dtype(), &value, {});
  }
  /// Writes another host array's elements, broadcast to this shape, or one value everywhere.
  /// @throws ShapeError, LayoutError when elements of this array alias each other
  template <class U>
  requires(std::is_same_v<std::remove_const_t<U>, value_type> &&
           !std::is_const_v<T>) void assign(const HostArray<U>& source) const {
    detail::copy_elements("assign", this->handle_, this->dtype(), source.handle(), this->dtype(),
                          detail::Match::broadcast, {}, this->handle_);
  }
  /// The same from a mapped or managed array: waits for the work that it is in use by.
  template <class A>
  requires(detail::is_two_faced<A>&& std::is_same_v<typename A::value_type, value_type> &&
           !std::is_const_v<T>) void assign(const A& source) const {
    assign(source.host());
  }
  void assign(const value_type& value) const requires(!std::is_const_v<T>) { fill(value); }

  /// Same shape, and all elements equal.
  friend bool operator==(const HostArray& a, const HostArray& b) {
    if (!(a.shape() == b.shape())) return false;
    if constexpr (requires(const T& x) {
                    { x == x } -> std::convertible_to<bool>;
                  }) {
      if (a.is_aligned() && b.is_aligned()) {
        auto other = b.begin();
        for (const T& value : a) {
          if (!(value == *other)) return false;
          ++other;
        }
        return true;
      }
    }
    return detail::equal_bytes(a.handle(), b.handle());
  }

  /// As NumPy prints it.
  template <class Stream>
  requires requires(Stream& out, const char* text) { out << text; }
  friend Stream& operator<<(Stream& out, const HostArray& array) {
    out << format_array(array.dtype(), array.handle().base, array.layout()).c_str();
    return out;
  }
};

/// An uninitialised array in pageable host memory. `.stream`, `.device` and `.resource` do not apply.
template <Element T = double>
HostArray<T> host_array(const Shape& shape, const Alloc& options = {}) {
  return HostArray<T>(detail::allocate_array(
      "host_array", detail::layout_for("host_array", shape, options.strides, options.order, sizeof(T)),
      {.kind = MemoryKind::pageable, .device = Device("host"), .resource = options.resource, .label = options.label}));
}

/// An uninitialised array in page-locked host memory of a device: transfers from and to it are asynchronous.
template <Element T = double>
HostArray<T> pinned_array(const Shape& shape, const Alloc& options = {}) {
  return HostArray<T>(detail::allocate_array(
      "pinned_array", detail::layout_for("pinned_array", shape, options.strides, options.order, sizeof(T)),
      {MemoryKind::pinned, options.stream, options.device, options.resource, options.label}));
}

/// 0, 1, …, n-1.
template <Element T = std::int64_t>
requires(std::is_arithmetic_v<T>) HostArray<T> arange(index_t n) {
  HostArray<T> result = host_array<T>({n});
  T* out = result.data();
  for (index_t i = 0; i < n; ++i) out[i] = static_cast<T>(i);
  return result;
}

/// A view of host memory that the caller owns, dense in C order unless strides (bytes) are given; `data` is element
/// (0, …, 0). `owner`, if any, is kept until the last view is gone.
template <class T>
HostArray<T> host_view(T* data, const Shape& shape, const Strides& strides = {}, std::shared_ptr<void> owner = {}) {
  return HostArray<T>(detail::wrap_memory("host_view", const_cast<std::remove_const_t<T>*>(data), shape, strides,
                                          sizeof(T), MemoryKind::pageable, Device("host"), std::move(owner)));
}

}  // namespace ferry::inline v0
