// view: a Ferry array as an unmanaged Kokkos View.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "ferry/config.hpp"
#include "ferry/detail/array_kinds.hpp"
#include "ferry/error.hpp"
#include "ferry/kokkos/data_type.hpp"
#include "ferry/kokkos/session.hpp"
#include "ferry/kokkos/space.hpp"
#include "ferry/kokkos/task_devices.hpp"
#include "ferry/kokkos/tools.hpp"
#include "ferry/managed_array.hpp"
#include "ferry/mapped_array.hpp"
#include "ferry/nd_array.hpp"

namespace ferry::inline v0::kokkos {

namespace impl {

/// The extents that the type fixes; those before them are chosen at run time.
template <class DataType>
void require_static_extents(const char* call, const Layout& layout) {
  constexpr std::size_t first = DataTypeOf<DataType>::run_time;
  bool fits = true;
  [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
    fits = ((static_cast<std::size_t>(layout.shape()[first + Axis]) == std::extent_v<DataType, Axis>)&&...);
  }
  (std::make_index_sequence<std::rank_v<DataType>>{});
  if (fits) return;
  std::string wanted = std::to_string(first) + " of any length";
  [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
    ((wanted += ", " + std::to_string(std::extent_v<DataType, Axis>)), ...);
  }
  (std::make_index_sequence<std::rank_v<DataType>>{});
  throw ShapeError("ferry: " + std::string(call) + ": the View's type fixes its extents (" + wanted +
                   "), and the array has " + layout.to_string());
}

template <class P>
inline constexpr bool is_layout = Kokkos::is_array_layout<P>::value;
template <class P>
inline constexpr bool is_traits = Kokkos::is_memory_traits<P>::value;
template <class P>
inline constexpr bool is_place =
    !is_layout<P> && !is_traits<P> &&
    (Kokkos::is_memory_space<P>::value || Kokkos::is_execution_space<P>::value || Kokkos::is_space<P>::value);

/// The View that the caller's properties, in any order, and the array make.
template <class Array, class DataType, class... Properties>
struct ViewOf {
  static_assert(((is_layout<Properties> || is_traits<Properties> || is_place<Properties>)&&...),
                "ferry: a View's properties are a layout, a space, and memory traits");
  template <class P, class Layout, class Place, unsigned Traits>
  struct Chosen {};

  // One property after the other replaces what was chosen before.
  template <class L, class S, unsigned M, class... Rest>
  struct Fold {
    using type = Kokkos::View<DataType, L, S, Kokkos::MemoryTraits<M | Kokkos::Unmanaged>>;
  };
  template <class L, class S, unsigned M, class First, class... Rest>
  requires(is_layout<First>) struct Fold<L, S, M, First, Rest...> {
    using type = typename Fold<First, S, M, Rest...>::type;
  };
  template <class L, class S, unsigned M, class First, class... Rest>
  requires(is_place<First>) struct Fold<L, S, M, First, Rest...> {
    using type = typename Fold<L, First, M, Rest...>::type;
  };
  template <class L, class S, unsigned M, unsigned N, class... Rest>
  struct Fold<L, S, M, Kokkos::MemoryTraits<N>, Rest...> {
    using type = typename Fold<L, S, M | N, Rest...>::type;
  };
  using type = typename Fold<Kokkos::LayoutRight, typename DefaultSpace<Array>::type, 0u, Properties...>::type;
};

[[noreturn]] inline void throw_layout(const char* call, const Layout& layout, const std::string& why) {
  throw LayoutError("ferry: " + std::string(call) + ": " + why + "; the array has " + layout.to_string());
}

/// The stride of one axis in elements. Where an axis has one element at most, strides do not matter: 1 is as good.
inline std::size_t element_stride(const char* call, const Layout& layout, std::size_t axis, bool writable) {
  const index_t stride = layout.strides()[axis];
  if (layout.shape()[axis] <= 1 || layout.empty()) return 1;
  const std::string where = "along axis " + std::to_string(axis) + " ";
  if (stride < 0) {
    throw_layout(call, layout,
                 where + "the elements run backwards, which a View cannot express; flip the array or copy()");
  }
  if (stride % layout.itemsize() != 0) {
    throw_layout(call, layout,
                 where + "the stride is no multiple of the element's " + std::to_string(layout.itemsize()) +
                     " bytes, and a View counts in elements; copy() first");
  }
  if (stride == 0 && writable) {
    throw_layout(call, layout,
                 where + "all elements are one, which kernels that write would race for; view<const T...> may read it");
  }
  return static_cast<std::size_t>(stride / layout.itemsize());
}

template <class View>
typename View::array_layout layout_of(const char* call, const Layout& layout) {
  using Kind = typename View::array_layout;
  constexpr bool writable = !std::is_const_v<typename View::value_type>;
  Kind result;
  for (std::size_t axis = 0; axis < layout.ndim(); ++axis) {
    result.dimension[axis] = static_cast<std::size_t>(layout.shape()[axis]);
    const std::size_t stride = element_stride(call, layout, axis, writable);
    if constexpr (std::is_same_v<Kind, Kokkos::LayoutStride>) result.stride[axis] = stride;
  }
  if constexpr (std::is_same_v<Kind, Kokkos::LayoutRight>) {
    if (!layout.is_c_contiguous()) {
      throw_layout(call, layout,
                   layout.is_f_contiguous()
                       ? "the first index runs fastest: name Kokkos::LayoutLeft"
                       : "the elements are not dense in C order: name Kokkos::LayoutStride, or copy(Order::C) first");
    }
  } else if constexpr (std::is_same_v<Kind, Kokkos::LayoutLeft>) {
    if (!layout.is_f_contiguous()) {
      throw_layout(call, layout,
                   layout.is_c_contiguous()
                       ? "the last index runs fastest: name Kokkos::LayoutRight"
                       : "the elements are not dense in F order: name Kokkos::LayoutStride, or copy(Order::F) first");
    }
  } else {
    static_assert(std::is_same_v<Kind, Kokkos::LayoutStride>,
                  "ferry: arrays have Views of LayoutRight, LayoutLeft and LayoutStride");
  }
  return result;
}

/// The array by the face that a View of it is for.
template <class T>
const HostArray<T>& face_for_view(const HostArray<T>& array) {
  return array;
}
template <class T>
const NDArray<T>& face_for_view(const NDArray<T>& array) {
  return array;
}
template <class A>
requires(ferry::detail::is_two_faced<A>) auto face_for_view(const A& array) {
  return array.device();
}

}  // namespace impl

/// The type of view<DataType, Properties...>(array).
template <class Array, class DataType, class... Properties>
using view_type = typename impl::ViewOf<Array, DataType, Properties...>::type;

/// The elements of a NDArray, MappedArray, ManagedArray or HostArray (or a view or field of one) as an unmanaged
/// Kokkos::View; nothing is copied.
///
/// `DataType` is Kokkos': double**, const float*[3]; its element type must be the array's, const may be added.
/// `Properties`, in any order: a layout (default LayoutRight, which is the order that Ferry's arrays have by default),
/// a memory space, execution space or Kokkos::Device (default: device memory of Kokkos' GPU for a NDArray where Kokkos
/// has one, else the host's), and memory traits. Mapped and managed arrays are seen by the kernels' address; take a
/// View of host() for host code.
///
/// The View owns nothing: the array must outlive the kernels that use it. launch(stream, reads(a), writes(b), f) sees
/// to that; else keep the array, or tell it with used_on(stream).
/// @throws LifetimeError while Kokkos does not run; ShapeError for another rank or other fixed extents; AccessError
/// when the array's memory is not in that space; LayoutError for what the layout cannot express: negative strides,
/// strides that are no multiple of the element, strides of 0 on a writable View, unaligned elements
template <class DataType, class... Properties, class Array>
view_type<Array, DataType, Properties...> view(const Array& array) {
  using View = view_type<Array, DataType, Properties...>;
  using Element = typename Array::element_type;
  using ViewElement = typename impl::DataTypeOf<DataType>::value;
  static_assert(impl::rank_of<DataType> <= 8, "ferry: a View has at most 8 axes");
  static_assert(std::is_same_v<std::remove_const_t<ViewElement>, std::remove_const_t<Element>>,
                "ferry: a View has the element type of its array; convert with astype");
  static_assert(std::is_const_v<ViewElement> || !std::is_const_v<Element>,
                "ferry: a read-only array has Views of const elements");
  impl::require_running("view");
  impl::report_to_tools();
  const auto& seen = impl::face_for_view(array);
  const Layout& layout = seen.layout();
  constexpr std::size_t rank = impl::rank_of<DataType>;
  if (layout.ndim() != rank) {
    throw ShapeError("ferry: view: a View of " + std::to_string(rank) + " axes for an array of " + layout.to_string() +
                     (layout.ndim() > 8 ? "; Views have at most 8 axes, so reshape() or take views of it first" : ""));
  }
  impl::require_static_extents<DataType>("view", layout);
  using Space = typename View::memory_space;
  impl::require_space("view", seen.handle(), impl::kind_of_space<Space>, Space::name());
  impl::TaskDevices::note(seen.device());
  const auto kokkos_layout = impl::layout_of<View>("view", layout);
  Element* const data = seen.data();
  if constexpr (View::traits::memory_traits::is_aligned) {
    if (reinterpret_cast<std::uintptr_t>(data) % Kokkos::Impl::MEMORY_ALIGNMENT != 0) {
      impl::throw_layout("view", layout, "the memory trait Aligned promises an address that this view does not have");
    }
  }
  return View(data, kokkos_layout);
}

/// Calls f(view) with the View of the fastest layout that the array has: LayoutRight, else LayoutLeft, else
/// LayoutStride. `f` is compiled for all three.
/// @throws as view
template <class DataType, class... Properties, class Array, class F>
decltype(auto) visit_view(const Array& array, F&& f) {
  if (array.is_c_contiguous()) return f(view<DataType, Kokkos::LayoutRight, Properties...>(array));
  if (array.is_f_contiguous()) return f(view<DataType, Kokkos::LayoutLeft, Properties...>(array));
  return f(view<DataType, Kokkos::LayoutStride, Properties...>(array));
}

}  // namespace ferry::inline v0::kokkos
