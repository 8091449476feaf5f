// Record: one structured value in device memory.
#pragma once

#include "ferry/config.hpp"
#include "ferry/nd_array.hpp"

namespace ferry::inline v0 {

/// One T on the device: what a record array's record(i) refers to, and what to_device(record) makes. Aliases when
/// copied; its fields are views.
template <class T>
class Record {
 public:
  using value_type = std::remove_const_t<T>;

  /// The element of an array of rank 0.
  explicit Record(NDArray<T> element) : element_(std::move(element)) {
    if (element_.ndim() != 0) detail::throw_rank_mismatch("Record", 0, element_.layout());
  }

  value_type copy_to_host() const { return element_.item(); }
  void copy_to_host(value_type& destination) const { destination = element_.item(); }
  /// `destination` must stay until the transfer is done.
  Transfer copy_to_host(value_type& destination, const Stream& stream) const {
    return element_.copy_to_host(detail_view(destination), stream);
  }
  /// On a stream, into page-locked memory: an array of rank 0.
  Pending<HostArray<value_type>> copy_to_host(const Stream& stream) const { return element_.copy_to_host(stream); }
  void copy_to_device(const value_type& source) const requires(!std::is_const_v<T>) {
    element_.copy_to_device(detail_view(source));
  }
  Transfer copy_to_device(const value_type& source, const Stream& stream) const requires(!std::is_const_v<T>) {
    return element_.copy_to_device(detail_view(source), stream);
  }
  Transfer copy_to_device(const value_type&& source, const Stream& stream) const = delete;
  template <class U>
  requires(std::is_same_v<std::remove_const_t<U>, value_type> && !std::is_const_v<T>) Transfer
      copy_to_device(const Record<U>& source, const Stream& stream = {})
  const { return element_.copy_to_device(source.as_array(), stream); }

  // One value in a row is contiguous in every order, and can be seen as an array of one element.
  bool is_c_contiguous() const noexcept { return true; }
  bool is_f_contiguous() const noexcept { return true; }
  NDArray<T> ravel(Order order = Order::C) const { return element_.ravel(order); }
  NDArray<T> reshape(const Shape& shape, Order order = Order::C) const { return element_.reshape(shape, order); }
  std::vector<NDArray<T>> split(index_t section) const { return ravel().split(section); }

  /// A member as a view: rank 0, or the shape of an array member.
  template <class M, class C>
  auto field(M C::*member) const {
    return element_.field(member);
  }
  template <class M>
  auto field(std::string_view name) const {
    return element_.template field<M>(name);
  }

  /// The same element as an array of rank 0.
  const NDArray<T>& as_array() const noexcept { return element_; }
  static const DType& dtype() { return dtype_of<value_type>(); }
  T* data() const { return element_.data(); }
  index_t nbytes() const noexcept { return element_.nbytes(); }
  Device device() const { return element_.device(); }
  const Stream& stream() const noexcept { return element_.stream(); }
  Record bind(const Stream& stream) const { return Record(element_.bind(stream)); }

 private:
  template <class V>
  static HostArray<V> detail_view(V& value) {
    return host_view(&value, {});
  }
  NDArray<T> element_;
};

template <template <class> class Array, class T>
template <detail::Integer... I>
Record<T> detail::DeviceArrayBase<Array, T>::record(I... index) const {
  ArrayHandle element = this->view(index...).handle();
  element.face = Face::device;
  return Record<T>(NDArray<T>(std::move(element)));
}

}  // namespace ferry::inline v0
