#include "core/dtype/equal_values.hpp"

#include <cstring>

#include "ferry/backend/float_formats.hpp"

namespace ferry::inline v0::dtypes {

namespace {

using Equal = bool (*)(const std::byte*, const std::byte*, std::size_t);

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
bool equal_numbers(const std::byte* a, const std::byte* b, std::size_t) {
  return load<T>(a) == load<T>(b);
}
template <class T>
bool equal_short_floats(const std::byte* a, const std::byte* b, std::size_t) {
  return backend::to_float(load<T>(a)) == backend::to_float(load<T>(b));
}
template <class T>
bool equal_complex(const std::byte* a, const std::byte* b, std::size_t) {
  return equal_numbers<T>(a, b, 0) && equal_numbers<T>(a + sizeof(T), b + sizeof(T), 0);
}
bool equal_bytes(const std::byte* a, const std::byte* b, std::size_t size) {
  return size == 0 || std::memcmp(a, b, size) == 0;
}
bool equal_booleans(const std::byte* a, const std::byte* b, std::size_t) {
  return (*a != std::byte{}) == (*b != std::byte{});
}

Equal scalar_equality(const DType& dtype) {
  const index_t size = dtype.itemsize();
  switch (dtype.kind()) {
    case Kind::boolean:
      return equal_booleans;
    case Kind::floating:
      return size == 2   ? equal_short_floats<backend::Half>
             : size == 4 ? equal_numbers<float>
             : size == 8 ? equal_numbers<double>
                         : equal_numbers<long double>;
    case Kind::brain:
      return equal_short_floats<backend::BFloat>;
    case Kind::complex:
      return size == 8 ? equal_complex<float> : size == 16 ? equal_complex<double> : equal_complex<long double>;
    case Kind::signed_integer:
    case Kind::unsigned_integer:
    case Kind::bytes:
    case Kind::unicode:
    case Kind::raw:
    case Kind::record:
      break;
  }
  return equal_bytes;
}

// From element `axis` on; recursion is as deep as the rank.
bool equal_rows(Equal equal, std::size_t axis, const std::byte* a, const Layout& a_layout, const std::byte* b,
                const Layout& b_layout) {
  if (axis == a_layout.ndim()) return equal(a, b, static_cast<std::size_t>(a_layout.itemsize()));
  for (index_t i = 0; i < a_layout.shape()[axis]; ++i) {
    if (!equal_rows(equal, axis + 1, a + i * a_layout.strides()[axis], a_layout, b + i * b_layout.strides()[axis],
                    b_layout)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool equal_values(const DType& a_dtype, const std::byte* a, const Layout& a_layout, const DType& b_dtype,
                  const std::byte* b, const Layout& b_layout) {
  if (a_layout.nbytes() == 0) return true;
  if (a_dtype.is_record()) {
    for (std::size_t i = 0; i < a_dtype.fields().size(); ++i) {
      const Field &x = a_dtype.fields()[i], &y = b_dtype.fields()[i];
      if (!equal_values(x.dtype, a, layouts::field(a_layout, x.offset, x.dtype.itemsize(), x.shape), y.dtype, b,
                        layouts::field(b_layout, y.offset, y.dtype.itemsize(), y.shape))) {
        return false;
      }
    }
    return true;
  }
  return equal_rows(scalar_equality(a_dtype), 0, a + a_layout.offset(), a_layout, b + b_layout.offset(), b_layout);
}

}  // namespace ferry::inline v0::dtypes
