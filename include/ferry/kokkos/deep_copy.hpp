// deep_copy: between Views and arrays, also where Kokkos has no way.
#pragma once

#include <Kokkos_Core.hpp>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "ferry/config.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/error.hpp"
#include "ferry/kokkos/execution_space.hpp"
#include "ferry/kokkos/session.hpp"
#include "ferry/kokkos/space.hpp"
#include "ferry/kokkos/tools.hpp"
#include "ferry/kokkos/wrap.hpp"
#include "ferry/transfer.hpp"

namespace ferry::inline v0::kokkos {

namespace impl {

template <class X>
inline constexpr bool is_array = false;
template <class T>
inline constexpr bool is_array<HostArray<T>> = true;
template <class T>
inline constexpr bool is_array<NDArray<T>> = true;
template <class T>
inline constexpr bool is_array<MappedArray<T>> = true;
template <class T>
inline constexpr bool is_array<ManagedArray<T>> = true;

template <class X>
struct ElementOf {
  using type = typename X::value_type;  // of a View
};
template <class X>
requires(is_array<X>) struct ElementOf<X> {
  using type = typename X::element_type;
};

template <class X>
concept CopyOperand = is_array<X> || Kokkos::is_view<X>::value;

template <CopyOperand X>
ferry::detail::ArrayHandle handle_of(const X& operand) {
  if constexpr (is_array<X>) {
    return operand.handle();
  } else {
    require_wrappable<X>();
    constexpr MemoryKind kind = kind_of_space<typename X::memory_space>;
    const Device device = device_of_view(operand);
    const bool on_host = device.space().capabilities().device_is_host;
    return wrap_view(operand, kind == MemoryKind::pageable && !on_host ? MemoryKind::device : kind, device);
  }
}

/// The stream for work on an array: that of the call where it is of the array's device, else none.
inline Stream stream_at(const ferry::detail::ArrayHandle& array, const Stream& stream) {
  return stream && ferry::detail::device_of(array) == stream.device() ? stream : Stream{};
}

template <class Target, class Source>
Transfer copy(const Target& target, const Source& source, const Stream& stream) {
  using To = typename ElementOf<Target>::type;
  using From = std::remove_const_t<typename ElementOf<Source>::type>;
  static_assert(!std::is_const_v<To>, "ferry: deep_copy writes its first operand, and its elements are const");
  const ferry::detail::ArrayHandle to = handle_of(target);
  ferry::detail::ArrayHandle from = handle_of(source);
  if constexpr (!std::is_same_v<To, From>) {
    if (!(to.layout.shape() == from.layout.shape())) {  // before anything is converted
      throw ShapeError("ferry: deep_copy: the source, of " + from.layout.to_string() +
                       ", does not have the shape of the destination, of " + to.layout.to_string());
    }
    from = ferry::detail::convert_elements(from, dtype_of<From>(), dtype_of<To>(), Order::K, stream_at(from, stream));
  }
  const DType& dtype = dtype_of<To>();
  return ferry::detail::copy_elements("deep_copy", to, dtype, from, dtype, ferry::detail::Match::equal, stream,
                                      to.face != ferry::detail::Face::host ? to : from);
}

/// Two streams, the second of which waits for what is queued on the first.
inline void order(const Stream& first, const Stream& second) {
  second.wait(first.record());
}

/// A stream of Ferry's own for each of the program's execution space instances, whose native stream may end before the
/// arrays that a copy was made of.
class CopyStreams {
 public:
  static Stream beside(const Stream& stream) {
    static std::mutex mutex;
    static auto& made = *new std::map<std::pair<std::string, backend::NativeStream>, Stream>;
    const std::lock_guard lock(mutex);
    Stream& found = made[{stream.device().name(), stream.native()}];
    if (!found) found = Stream(stream.device(), {.non_blocking = true});
    return found;
  }
};

}  // namespace impl

/// Copies all elements, as Kokkos::deep_copy(target, source) does where it can: Kokkos is fenced first, and the copy is
/// complete on return. Operands are Views and arrays of any kind, in any combination of spaces, layouts (padded,
/// strided, overlapping, arrays also backwards) and element types, which are converted as astype does: NumPy's rules,
/// and out of range saturates. Shapes must be equal, up to axes of length 1 when the element types are.
/// @throws LifetimeError while Kokkos does not run; ShapeError; LayoutError when elements of the target share memory;
/// DTypeError when there is no conversion
template <impl::CopyOperand Target, impl::CopyOperand Source>
void deep_copy(const Target& target, const Source& source) {
  impl::require_running("deep_copy");
  impl::report_to_tools();
  if constexpr (Kokkos::is_view<Target>::value || Kokkos::is_view<Source>::value) Kokkos::fence();
  impl::copy(target, source, {});
}

/// The same in the order of a stream, asynchronous as copy_to_host(…, stream) is; nothing is fenced. Memory of managed
/// Views and of arrays is kept until the copy is done, other memory must stay.
template <impl::CopyOperand Target, impl::CopyOperand Source>
Transfer deep_copy(const Stream& stream, const Target& target, const Source& source) {
  impl::require_running("deep_copy");
  impl::report_to_tools();
  return impl::copy(target, source, stream);
}

/// The same in the order of an execution space instance: what was queued there before is waited for, and what is queued
/// there afterwards waits for the copy. A host's instance has no stream: it is fenced, and the copy complete on return.
template <class Exec, impl::CopyOperand Target, impl::CopyOperand Source>
requires(Kokkos::is_execution_space<Exec>::value) Transfer
    deep_copy(const Exec& exec, const Target& target, const Source& source) {
  impl::require_running("deep_copy");
  impl::report_to_tools();
  if constexpr (impl::is_gpu<Exec>) {
    if (const Stream ours = impl::Instances<Exec>::get().find(exec)) return impl::copy(target, source, ours);
    const Device device = Device(std::string(impl::gpu_backend) + ":" + std::to_string(impl::device_number(exec)));
    const Stream theirs = Stream::wrap(device, impl::native_stream(exec));
    const Stream beside = impl::CopyStreams::beside(theirs);
    impl::order(theirs, beside);
    const Transfer transfer = impl::copy(target, source, beside);
    impl::order(beside, theirs);
    return transfer;
  } else {
    exec.fence();
    impl::copy(target, source, {});
    return {};
  }
}

}  // namespace ferry::inline v0::kokkos
