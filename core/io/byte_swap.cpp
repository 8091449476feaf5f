#include "core/io/byte_swap.hpp"

#include <algorithm>

namespace ferry::inline v0::io {

void swap_element(const DType& dtype, std::byte* element) {
  if (dtype.is_record()) {
    for (const Field& field : dtype.fields()) {
      if (!field.dtype.is_swapped()) continue;
      const index_t size = field.dtype.itemsize();
      for (index_t at = 0; at < field.nbytes(); at += size) swap_element(field.dtype, element + field.offset + at);
    }
  } else if (dtype.byte_order() == ByteOrder::swapped) {
    const index_t word = dtype.kind() == Kind::complex ? dtype.itemsize() / 2 : dtype.itemsize();
    for (index_t at = 0; at < dtype.itemsize(); at += word) std::reverse(element + at, element + at + word);
  }
}

DType to_native(const DType& dtype) {
  if (!dtype.is_swapped()) return dtype;
  if (!dtype.is_record()) return DType::scalar(dtype.kind(), dtype.itemsize(), dtype.alignment());
  std::vector<Field> fields = dtype.fields();
  for (Field& field : fields) field.dtype = to_native(field.dtype);
  return DType::record(std::move(fields), dtype.itemsize(), dtype.alignment());
}

bool same_values(const DType& a, const DType& b) {
  if (a.kind() != b.kind() || a.itemsize() != b.itemsize() || a.fields().size() != b.fields().size()) return false;
  return std::equal(a.fields().begin(), a.fields().end(), b.fields().begin(), [](const Field& x, const Field& y) {
    return x.name == y.name && x.offset == y.offset && x.shape == y.shape && same_values(x.dtype, y.dtype);
  });
}

}  // namespace ferry::inline v0::io
