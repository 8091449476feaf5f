// astype on the CPU: one loop for each pair of types, chosen once per call.
#include <cstring>
#include <tuple>

#include "core/copy/host_loops.hpp"
#include "ferry/backend/convert.hpp"
#include "ferry/backend/strided.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend {

namespace {

template <class To, class From>
void convert_row(std::byte* to, const std::byte* from, index_t n, index_t to_stride, index_t from_stride) {
  const auto one = [](std::byte* t, const std::byte* f) {
    From value;
    std::memcpy(static_cast<void*>(&value), f, sizeof value);  // neither side need be aligned
    const To result = convert_value<To>(value);
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
struct Table {
  Row rows[scalar_type_count][scalar_type_count];
};

template <std::size_t To, std::size_t... From>
constexpr void fill_table_row(Table& table, std::index_sequence<From...>) {
  ((table.rows[To][From] = convert_row<std::tuple_element_t<To, ScalarTypes>, std::tuple_element_t<From, ScalarTypes>>),
   ...);
}
template <std::size_t... To>
constexpr Table make_table(std::index_sequence<To...> all) {
  Table table{};
  (fill_table_row<To>(table, all), ...);
  return table;
}
constexpr Table table = make_table(std::make_index_sequence<scalar_type_count>{});

}  // namespace

std::size_t scalar_type_index(const DType& dtype) noexcept {
  struct Entry {
    Kind kind;
    index_t itemsize;
  };
  constexpr Entry entries[scalar_type_count] = {{Kind::boolean, 1},
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
                                                {Kind::complex, 8},
                                                {Kind::complex, 16},
                                                {Kind::floating, 16}};
  std::size_t i = 0;
  while (i < scalar_type_count && (entries[i].kind != dtype.kind() || entries[i].itemsize != dtype.itemsize())) ++i;
  return dtype.byte_order() == ByteOrder::native ? i : scalar_type_count;
}

bool is_convertible(const DType& to, const DType& from) noexcept {
  return scalar_type_index(to) < scalar_type_count && scalar_type_index(from) < scalar_type_count;
}

void host_convert(const StridedConvert& convert) {
  const std::size_t to = scalar_type_index(convert.to_dtype), from = scalar_type_index(convert.from_dtype);
  if (to >= scalar_type_count || from >= scalar_type_count) {
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
