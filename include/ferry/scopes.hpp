// Scopes in which host memory is page-locked, or mapped for a device.
#pragma once

#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "ferry/config.hpp"
#include "ferry/detail/host_operand.hpp"
#include "ferry/nd_array.hpp"

namespace ferry::inline v0 {

/// For pinned and mapped, as their first argument: mapped({.stream = s}, a, b).
struct ScopeOptions {
  Stream stream = {};     ///< bound to the views of mapped(), and decides the device when `device` is not set
  Device device = {};     ///< default_device() when neither is set
  bool portable = false;  ///< page-locked for every device, not just this one
};

namespace detail {

class HostScope;
struct EndScope {
  FERRY_EXPORT void operator()(HostScope* scope) const noexcept;
};
using ScopeHandle = std::unique_ptr<HostScope, EndScope>;

/// Page-locks all arrays, or none. `views`, unless null, receives one view of each array for the device.
FERRY_EXPORT ScopeHandle open_scope(const ScopeOptions& options, const ArrayHandle* arrays, std::size_t count,
                                    ArrayHandle* views);
FERRY_EXPORT void end_scope(ScopeHandle& scope);

template <class A>
constexpr void check_scope_operand() {
  // <string_view> declares the trait, which tells views such as span from containers.
  static_assert(std::is_lvalue_reference_v<A&&> || is_shared_array<std::remove_cvref_t<A>> ||
                    std::ranges::enable_borrowed_range<std::remove_cvref_t<A>>,
                "ferry: a scope needs memory that outlives it, and a temporary does not");
}

}  // namespace detail

/// Keeps host memory page-locked until it ends, so that transfers from and to it are asynchronous and fast.
class PinnedScope {
 public:
  explicit PinnedScope(detail::ScopeHandle scope) noexcept : scope_(std::move(scope)) {}

  /// Ends the scope now; afterwards, and for a scope that was moved from, nothing.
  /// @throws what the work that had to be waited for failed with; the scope has ended all the same
  void end() { detail::end_scope(scope_); }

 private:
  detail::ScopeHandle scope_;
};

/// Page-locks host arrays of any strides (HostArray, vector, span, C array) for a device: `auto guard = pinned(a, b);`.
/// Scopes may nest, hold the same array twice, or arrays that overlap in part: memory stays page-locked until the last
/// scope that needs it ends. Memory that Ferry or somebody else has page-locked is left as it is. The end waits for the
/// transfers that Ferry knows of; what a destructor cannot throw goes to the error sink. Memory that is not Ferry's
/// must outlive the scope.
/// @throws DeviceError when the device refuses a piece of memory; then no array is page-locked
template <class... A>
requires((detail::HostSource<A> && ...)) [[nodiscard]] PinnedScope pinned(const ScopeOptions& options, A&&... arrays) {
  (detail::check_scope_operand<A>(), ...);
  const detail::ArrayHandle handles[sizeof...(A) + 1] = {detail::host_handle(arrays)...};
  return PinnedScope(detail::open_scope(options, handles, sizeof...(A), nullptr));
}
template <class... A>
requires((detail::HostSource<A> && ...)) [[nodiscard]] PinnedScope pinned(A&&... arrays) {
  return pinned(ScopeOptions{}, std::forward<A>(arrays)...);
}

/// What mapped() returns: keeps host memory mapped until it ends, and holds a view of each array for the device.
template <class... T>
class MappedScope {
 public:
  MappedScope(detail::ScopeHandle scope, const detail::ArrayHandle* views)
      : MappedScope(std::move(scope), views, std::index_sequence_for<T...>{}) {}

  /// The device's view of the I-th array. A copy of it that is used after the scope is a LifetimeError.
  template <std::size_t I>
  const auto& get() const noexcept {
    return std::get<I>(views_);
  }
  /// Ends the scope now; afterwards nothing.
  /// @throws what the work that had to be waited for failed with; the scope has ended all the same
  void end() { detail::end_scope(scope_); }

 private:
  template <std::size_t... I>
  MappedScope(detail::ScopeHandle scope, const detail::ArrayHandle* views, std::index_sequence<I...>)
      : views_(NDArray<T>(views[I])...), scope_(std::move(scope)) {}

  std::tuple<NDArray<T>...> views_;
  detail::ScopeHandle scope_;
};

/// Page-locks and maps host arrays, as pinned() does, and gives the device's views of them: `auto [x, y] = mapped(a,
/// b);` or, to capture them in a lambda, `auto scope = mapped(a); scope.get<0>()`. Views have the arrays' strides. The
/// end of the scope waits for all work that Ferry knows of on the arrays (tell it of raw kernels with used_on); then
/// the host may read them, and a view that is still used throws LifetimeError.
/// @throws DeviceError when the device refuses a piece of memory, AccessError when kernels cannot reach it; then no
/// array is mapped
template <class... A>
requires((detail::HostSource<A> && ...)) [[nodiscard]] auto mapped(const ScopeOptions& options, A&&... arrays) {
  (detail::check_scope_operand<A>(), ...);
  const detail::ArrayHandle handles[sizeof...(A) + 1] = {detail::host_handle(arrays)...};
  detail::ArrayHandle views[sizeof...(A) + 1];
  detail::ScopeHandle scope = detail::open_scope(options, handles, sizeof...(A), views);
  return MappedScope<detail::host_operand_element_t<A>...>(std::move(scope), views);
}
template <class... A>
requires((detail::HostSource<A> && ...)) [[nodiscard]] auto mapped(A&&... arrays) {
  return mapped(ScopeOptions{}, std::forward<A>(arrays)...);
}

}  // namespace ferry::inline v0

// For `auto [x, y] = mapped(a, b);`.
template <class... T>
struct std::tuple_size<ferry::MappedScope<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t I, class... T>
struct std::tuple_element<I, ferry::MappedScope<T...>> {
  using type = std::tuple_element_t<I, const std::tuple<ferry::NDArray<T>...>>;
};
