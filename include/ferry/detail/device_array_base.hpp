// What arrays that kernels reach have in common: transfers, writes and conversions, in the order of streams.
#pragma once

#include "ferry/config.hpp"
#include "ferry/detail/array_base.hpp"
#include "ferry/detail/array_kinds.hpp"
#include "ferry/detail/host_operand.hpp"
#include "ferry/device_view.hpp"
#include "ferry/host_array.hpp"
#include "ferry/transfer.hpp"

namespace ferry::inline v0 {

template <class T>
class Record;

namespace detail {

/// `Array` is NDArray, MappedArray or ManagedArray. Calls that name a stream are asynchronous on it; all others use the
/// bound stream, else the device's legacy default stream, and are complete on return. Shape and dtype are checked
/// before anything is touched.
template <template <class> class Array, class T>
class DeviceArrayBase : public ArrayBase<Array, T> {
  using Base = ArrayBase<Array, T>;

 public:
  using Base::Base;
  using typename Base::value_type;

  /// A view, also for integers alone: d(3, 4) has rank 0. See ArrayBase::view.
  template <IndexLike... I>
  Array<T> operator()(I... entries) const {
    return this->view(entries...);
  }
  /// One element of an array of records.
  template <Integer... I>
  Record<T> record(I... index) const;

  /// A new host array with the elements, dense, in this array's axis order.
  HostArray<value_type> copy_to_host() const {
    HostArray<value_type> result(allocate_array("copy_to_host", this->layout().dense_like(Order::K),
                                                {.kind = MemoryKind::pageable, .device = Device("host")}));
    copy_out("copy_to_host", result.handle(), {});
    return result;
  }
  /// As above on a stream, into page-locked memory.
  Pending<HostArray<value_type>> copy_to_host(const Stream& stream) const {
    HostArray<value_type> result(
        allocate_array("copy_to_host", this->layout().dense_like(Order::K),
                       {.kind = MemoryKind::pinned, .stream = stream, .device = Base::device()}));
    Transfer transfer = copy_out("copy_to_host", result.handle(), stream);
    return {std::move(result), std::move(transfer)};
  }
  /// Into existing host memory, or a mapped or managed array, of the same shape up to axes of length 1; gaps are not
  /// touched. Returns it.
  template <HostDestination D>
  D&& copy_to_host(D&& destination) const {
    check_element<D>();
    copy_out("copy_to_host", host_handle(destination), {});
    return std::forward<D>(destination);
  }
  /// As above on a stream. Memory that is not Ferry's must stay until the transfer is done.
  template <HostDestination D>
  Transfer copy_to_host(D&& destination, const Stream& stream) const {
    check_element<D>();
    check_lifetime<D>();
    return copy_out("copy_to_host", host_handle(destination), stream);
  }

  /// From host memory or any array of the same shape up to axes of length 1.
  template <HostSource S>
  void copy_to_device(const S& source) const requires(!std::is_const_v<T>) {
    check_element<const S>();
    copy_in("copy_to_device", host_handle(source), Match::equal, {});
  }
  template <HostSource S>
  Transfer copy_to_device(S&& source, const Stream& stream) const requires(!std::is_const_v<T>) {
    check_element<S>();
    check_lifetime<S>();
    return copy_in("copy_to_device", host_handle(source), Match::equal, stream);
  }
  template <class U>
  requires(std::is_same_v<std::remove_const_t<U>, value_type> && !std::is_const_v<T>) Transfer
      copy_to_device(const NDArray<U>& source, const Stream& stream = {})
  const { return copy_in("copy_to_device", source.handle(), Match::equal, stream); }

  /// Writes the elements of `source`, broadcast to this shape. Overlap gives what reading the source first would give.
  template <class U>
  requires(std::is_same_v<std::remove_const_t<U>, value_type> && !std::is_const_v<T>) Transfer
      assign(const NDArray<U>& source, const Stream& stream = {})
  const { return copy_in("assign", source.handle(), Match::broadcast, stream); }
  template <HostSource S>
  void assign(const S& source) const requires(!std::is_const_v<T>) {
    check_element<const S>();
    copy_in("assign", host_handle(source), Match::broadcast, {});
  }
  template <HostSource S>
  Transfer assign(S&& source, const Stream& stream) const requires(!std::is_const_v<T>) {
    check_element<S>();
    check_lifetime<S>();
    return copy_in("assign", host_handle(source), Match::broadcast, stream);
  }
  void assign(const value_type& value, const Stream& stream = {}) const requires(!std::is_const_v<T>) {
    fill(value, stream);
  }
  void fill(const value_type& value, const Stream& stream = {}) const requires(!std::is_const_v<T>) {
    fill_elements("fill", this->handle_, this->dtype(), &value, stream);
  }

  /// A dense array of the same elements on the same device: of a mapped or managed array in memory of its kind, else in
  /// device memory.
  Array<value_type> copy(Order order = Order::K, const Stream& stream = {}) const {
    return Array<value_type>(copy_dense("copy", this->handle_, this->dtype(), order, stream));
  }
  /// Converts each element by NumPy's rules; out of range saturates and NaN becomes 0 when the target is an integer.
  /// The result's memory is that of a copy().
  template <Element U>
  Array<U> astype(Order order = Order::K, const Stream& stream = {}) const {
    return Array<U>(convert_elements(this->handle_, this->dtype(), dtype_of<U>(), order, stream));
  }
  /// One element's value. Always complete on return.
  template <Integer... I>
  value_type item(I... index) const {
    const Array<T> element = this->view(index...);
    if (element.ndim() != 0) throw_rank_mismatch("item", sizeof...(I), this->layout());
    value_type value{};
    element.copy_out("item", borrow_host(&value, Layout::contiguous({}, sizeof(T))), {});
    return value;
  }

  /// For kernels: an accessor of this array's rank.
  /// @throws ShapeError for another rank; LayoutError when is_aligned() is false; LifetimeError for a view that has
  /// outlived its scope
  template <std::size_t Rank>
  DeviceView<T, Rank> device_view() const {
    if (this->ndim() != Rank) throw_rank_mismatch("device_view", Rank, this->layout());
    return {Base::data(), this->shape().data(), this->strides().data()};
  }

 private:
  template <class H>
  static constexpr void check_element() {
    static_assert(std::is_same_v<std::remove_cv_t<host_operand_element_t<H>>, value_type>,
                  "ferry: both sides of a copy must have the same element type; convert with astype");
  }
  template <class H>
  static constexpr void check_lifetime() {
    static_assert(std::is_lvalue_reference_v<H> || is_shared_array<std::remove_cvref_t<H>>,
                  "ferry: an asynchronous copy needs memory that outlives the call, and a temporary does not");
  }
  Transfer copy_out(const char* call, const ArrayHandle& to, const Stream& stream) const {
    return copy_elements(call, to, this->dtype(), this->handle_, this->dtype(), Match::equal, stream, this->handle_);
  }
  Transfer copy_in(const char* call, const ArrayHandle& from, Match match, const Stream& stream) const {
    return copy_elements(call, this->handle_, this->dtype(), from, this->dtype(), match, stream, this->handle_);
  }
};

}  // namespace detail
}  // namespace ferry::inline v0
