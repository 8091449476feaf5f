#include "core/dtype/byte_order.hpp"

#include <algorithm>
#include <cstring>

namespace ferry::inline v0::dtypes {

namespace {

template <class Word>
Word reversed(Word word) {
  if constexpr (sizeof(Word) == 2) return __builtin_bswap16(word);
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
  if constexpr (sizeof(Word) == 8) return __builtin_bswap64(word);
}

template <class Word>
void swap_words(std::byte* at, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    word = reversed(word);
    std::memcpy(at, &word, sizeof word);
  }
}

// Whole runs of one word size are by far the most common file, and the compiler vectorises them.
void swap_scalars(index_t word, std::byte* at, std::size_t bytes) {
  const auto size = static_cast<std::size_t>(word);
  if (size == 2) return swap_words<std::uint16_t>(at, bytes / 2);
  if (size == 4) return swap_words<std::uint32_t>(at, bytes / 4);
  if (size == 8) return swap_words<std::uint64_t>(at, bytes / 8);
  for (std::size_t done = 0; done < bytes; done += size) std::reverse(at + done, at + done + size);
}

}  // namespace

void swap_elements(const DType& dtype, std::byte* elements, std::size_t count) {
  if (!dtype.is_swapped() || dtype.itemsize() == 0) return;
  const auto size = static_cast<std::size_t>(dtype.itemsize());
  if (!dtype.is_record()) {
    const index_t word = dtype.kind() == Kind::complex ? dtype.itemsize() / 2 : dtype.itemsize();
    return swap_scalars(word, elements, count * size);
  }
  for (const Field& field : dtype.fields()) {
    if (!field.dtype.is_swapped() || field.nbytes() == 0) continue;
    const auto inner = static_cast<std::size_t>(field.nbytes() / field.dtype.itemsize());
    for (std::size_t i = 0; i < count; ++i) swap_elements(field.dtype, elements + i * size + field.offset, inner);
  }
}

namespace {
bool same(const DType& a, const DType& b, bool in_order) {
  if (a.kind() != b.kind() || a.itemsize() != b.itemsize() || a.fields().size() != b.fields().size()) return false;
  if (in_order && a.byte_order() != b.byte_order()) return false;
  return std::equal(
      a.fields().begin(), a.fields().end(), b.fields().begin(), [in_order](const Field& x, const Field& y) {
        return x.name == y.name && x.offset == y.offset && x.shape == y.shape && same(x.dtype, y.dtype, in_order);
      });
}
}  // namespace

bool same_values(const DType& a, const DType& b) {
  return same(a, b, false);
}
bool same_bytes(const DType& a, const DType& b) {
  return same(a, b, true);
}

bool readable_as(const DType& wanted, const DType& found) {
  return (wanted.kind() == Kind::raw && wanted.itemsize() == found.itemsize()) || same_values(wanted, found);
}

}  // namespace ferry::inline v0::dtypes
