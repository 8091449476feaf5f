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

namespace {

bool has_booleans(const DType& dtype) {
  return dtype.kind() == Kind::boolean || std::any_of(dtype.fields().begin(), dtype.fields().end(),
                                                      [](const Field& field) { return has_booleans(field.dtype); });
}

/// Calls f(dtype, first, count) for each run of scalars of a type that `concerns` accepts.
template <class Concerns, class F>
void for_each_run(const DType& dtype, std::byte* elements, std::size_t count, const Concerns& concerns, const F& f) {
  if (!concerns(dtype) || dtype.itemsize() == 0) return;
  if (!dtype.is_record()) return f(dtype, elements, count);
  for (const Field& field : dtype.fields()) {
    if (!concerns(field.dtype) || field.nbytes() == 0) continue;
    const auto inner = static_cast<std::size_t>(field.nbytes() / field.dtype.itemsize());
    for (std::size_t i = 0; i < count; ++i) {
      for_each_run(field.dtype, elements + static_cast<index_t>(i) * dtype.itemsize() + field.offset, inner, concerns,
                   f);
    }
  }
}

}  // namespace

void swap_elements(const DType& dtype, std::byte* elements, std::size_t count) {
  for_each_run(
      dtype, elements, count, [](const DType& type) { return type.is_swapped(); },
      [](const DType& scalar, std::byte* first, std::size_t n) {
        const index_t word = scalar.kind() == Kind::complex   ? scalar.itemsize() / 2
                             : scalar.kind() == Kind::unicode ? 4
                                                              : scalar.itemsize();
        swap_scalars(word, first, n * static_cast<std::size_t>(scalar.itemsize()));
      });
}

void settle_booleans(const DType& dtype, std::byte* elements, std::size_t count) {
  for_each_run(dtype, elements, count, has_booleans, [](const DType&, std::byte* first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) first[i] = std::byte{first[i] != std::byte{}};
  });
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
