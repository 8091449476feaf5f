// The element type and the axes in a View's data type.
#pragma once

#include <cstddef>
#include <type_traits>

#include "ferry/config.hpp"

namespace ferry::inline v0::kokkos::impl {

/// Kokkos' way of writing a type of elements and extents: double**[3] is three axes, the last of three elements.
template <class DataType>
struct DataTypeOf {
  using element = std::remove_all_extents_t<DataType>;
  static constexpr std::size_t run_time = 0;
  using value = element;
};
template <class DataType>
requires(std::is_pointer_v<std::remove_all_extents_t<DataType>>) struct DataTypeOf<DataType> {
  using inner = DataTypeOf<std::remove_pointer_t<std::remove_all_extents_t<DataType>>>;
  static constexpr std::size_t run_time = inner::run_time + 1;
  using value = typename inner::value;
};
template <class DataType>
inline constexpr std::size_t rank_of = DataTypeOf<DataType>::run_time + std::rank_v<DataType>;

}  // namespace ferry::inline v0::kokkos::impl
