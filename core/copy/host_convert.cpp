// astype on the CPU: one loop for each pair of types, chosen once per call.
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

#include "core/copy/float_formats.hpp"
#include "core/copy/host_loops.hpp"
#include "ferry/backend/strided.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend {

namespace {

using copying::BFloat;
using copying::Half;

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;
template <class T>
inline constexpr bool is_short_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;

// Out of range saturates and NaN becomes 0: C++ leaves both undefined, and machines differ.
template <class To, class From>
To saturate(From x) noexcept {
  using Limits = std::numeric_limits<To>;
  // 2^digits is exact in every floating type here but half, which comes as a float.
  const From beyond = std::ldexp(From{1}, Limits::digits);
  if (x != x) return 0;
  if (x >= beyond) return Limits::max();
  const From lowest = Limits::is_signed ? -beyond : From{0};
  if (x <= lowest) return Limits::min();
  return static_cast<To>(x);
}

template <class To, class From>
To convert(From x) noexcept {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (is_short_float<From>) {
    return convert<To>(copying::to_float(x));
  } else if constexpr (std::is_same_v<To, bool> && is_complex<From>) {
    return x.real() != 0 || x.imag() != 0;
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From{0};
  } else if constexpr (is_complex<From> && is_complex<To>) {
    using Part = typename To::value_type;
    return {convert<Part>(x.real()), convert<Part>(x.imag())};
  } else if constexpr (is_complex<From>) {
    return convert<To>(x.real());  // NumPy drops the imaginary part too
  } else if constexpr (is_complex<To>) {
    return {convert<typename To::value_type>(x), 0};
  } else if constexpr (std::is_same_v<To, Half>) {
    return copying::to_half(static_cast<double>(x));
  } else if constexpr (std::is_same_v<To, BFloat>) {
    if constexpr (std::is_same_v<From, float>) return copying::to_bfloat(x);
    return copying::to_bfloat(static_cast<double>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return saturate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class To, class From>
void convert_row(std::byte* to, const std::byte* from, index_t n, index_t to_stride, index_t from_stride) {
  const auto one = [](std::byte* t, const std::byte* f) {
    From value;
    std::memcpy(static_cast<void*>(&value), f, sizeof value);  // neither side need be aligned
    const To result = convert<To>(value);
    std::memcpy(t, &result, sizeof result);
  };
  if (to_stride == sizeof(To) && from_stride == sizeof(From)) {  // constant strides: the compiler vectorises
    for (index_t i = 0; i < n; ++i) {
      one(to + i * static_cast<index_t>(sizeof(To)), from + i * static_cast<index_t>(sizeof(From)));
    }
  } else {
    for (index_t i = 0; i < n; ++i) one(to + i * to_stride, from + i * from_stride);
  }
}

using Row = void (*)(std::byte*, const std::byte*, index_t, index_t, index_t);
using Types =
    std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
               std::uint64_t, Half, BFloat, float, double, long double, std::complex<float>, std::complex<double>>;
constexpr std::size_t type_count = std::tuple_size_v<Types>;

/// The position of a dtype in Types, or type_count.
std::size_t position(const DType& dtype) noexcept {
  struct Entry {
    Kind kind;
    index_t itemsize;
  };
  constexpr Entry entries[type_count] = {{Kind::boolean, 1},
                                         {Kind::signed_integer, 1},
                                         {Kind::signed_integer, 2},
                                         {Kind::signed_integer, 4},
                                         {Kind::signed_integer, 8},
                                         {Kind::unsigned_integer, 1},
                                         {Kind::unsigned_integer, 2},
                                         {Kind::unsigned_integer, 4},
                                         {Kind::unsigned_integer, 8},
                                         {Kind::floating, 2},
                                         {Kind::brain, 2},
                                         {Kind::floating, 4},
                                         {Kind::floating, 8},
                                         {Kind::floating, 16},
                                         {Kind::complex, 8},
                                         {Kind::complex, 16}};
  std::size_t i = 0;
  while (i < type_count && (entries[i].kind != dtype.kind() || entries[i].itemsize != dtype.itemsize())) ++i;
  return dtype.byte_order() == ByteOrder::native ? i : type_count;
}

struct Table {
  Row rows[type_count][type_count];
};

template <std::size_t To, std::size_t... From>
constexpr void fill_table_row(Table& table, std::index_sequence<From...>) {
  ((table.rows[To][From] = convert_row<std::tuple_element_t<To, Types>, std::tuple_element_t<From, Types>>), ...);
}
template <std::size_t... To>
constexpr Table make_table(std::index_sequence<To...> all) {
  Table table{};
  (fill_table_row<To>(table, all), ...);
  return table;
}
constexpr Table table = make_table(std::make_index_sequence<type_count>{});

}  // namespace

bool is_convertible(const DType& to, const DType& from) noexcept {
  return position(to) < type_count && position(from) < type_count;
}

void host_convert(const StridedConvert& convert) {
  const std::size_t to = position(convert.to_dtype), from = position(convert.from_dtype);
  if (to >= type_count || from >= type_count) {
    throw DTypeError("ferry: astype: there is no conversion from " + convert.from_dtype.name() + " to " +
                     convert.to_dtype.name());
  }
  const Row row = table.rows[to][from];
  const std::size_t rank = convert.extents.size();
  if (rank == 0) return row(convert.to, convert.from, 1, 0, 0);
  const std::size_t last = rank - 1;
  copying::for_each_outer(convert.extents, convert.to_strides, convert.from_strides, last, convert.to, convert.from,
                          [&](std::byte* t, const std::byte* f) {
                            row(t, f, convert.extents[last], convert.to_strides[last], convert.from_strides[last]);
                          });
}

}  // namespace ferry::inline v0::backend
