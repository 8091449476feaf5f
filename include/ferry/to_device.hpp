// to_device: from the host to a new device array.
#pragma once

#include "ferry/config.hpp"
#include "ferry/nd_array.hpp"
#include "ferry/record.hpp"

namespace ferry::inline v0 {

namespace detail {
template <class T>
NDArray<T> upload(const ArrayHandle& source, const ToDevice<T>& options) {
  const auto result = options.to != nullptr
                          ? *options.to
                          : NDArray<T>(allocate_array(
                                "to_device", source.layout.dense_like(options.order),
                                {MemoryKind::device, options.stream, options.device, options.resource, options.label}));
  if (options.transfer) {
    copy_elements("to_device", result.handle(), dtype_of<T>(), source, dtype_of<T>(), Match::equal, options.stream,
                  result.handle());
  }
  return result;
}
}  // namespace detail

/// Allocates on the device and copies a host array of any strides: HostArray, vector, span, C array (double[3][4] has
/// rank 2). The result owns its elements densely, in the source's axis order unless options say otherwise. Complete on
/// return unless options name a stream; then a page-locked source is busy until that stream has got so far, and any
/// other may be reused at once.
template <detail::HostSource S>
auto to_device(const S& source,
               const ToDevice<std::remove_cv_t<detail::host_operand_element_t<const S>>>& options = {}) {
  return detail::upload(detail::host_handle(source), options);
}

/// A single value: an array of rank 0.
template <class T>
requires((std::is_arithmetic_v<T> ||
          detail::ComplexLike<T>)&&!RecordType<T>) NDArray<T> to_device(const T& value,
                                                                        const ToDevice<T>& options = {}) {
  return detail::upload(detail::borrow_host(&value, Layout::contiguous({}, sizeof(T))), options);
}

/// A single record.
template <RecordType T>
Record<T> to_device(const T& value, const ToDevice<T>& options = {}) {
  return Record<T>(detail::upload(detail::borrow_host(&value, Layout::contiguous({}, sizeof(T))), options));
}

}  // namespace ferry::inline v0
