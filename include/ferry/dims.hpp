// A short list of signed integers: a shape, strides, a list of axes.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "ferry/config.hpp"

namespace ferry::inline v0 {

namespace detail {
template <class I>
concept Integer = std::is_integral_v<std::remove_cvref_t<I>> && !std::is_same_v<std::remove_cvref_t<I>, bool>;
[[noreturn]] FERRY_EXPORT void throw_extent_overflow(unsigned long long value);
[[noreturn]] FERRY_EXPORT void throw_rank_overflow(std::size_t rank);

template <Integer I>
constexpr index_t to_index(I value) {
  if constexpr (std::is_unsigned_v<I> && sizeof(I) >= sizeof(index_t)) {
    if (value > static_cast<I>(INT64_MAX)) throw_extent_overflow(value);
  }
  return static_cast<index_t>(value);
}
}  // namespace detail

/// Up to 64 signed integers, the first eight without heap use.
///
/// Values are not judged here, because their meaning is the caller's: -1 is an error in a shape and a request in
/// reshape(). An unsigned value above 2^63-1 is a ShapeError, more than 64 values too.
class Dims {
 public:
  static constexpr std::size_t max_rank = 64;
  static constexpr std::size_t inline_rank = 8;

  Dims() noexcept = default;

  /// From integers of any type, so that `{n, 3}` works whatever the type of n. One integer is a list of one.
  template <detail::Integer... I>
  requires(sizeof...(I) > 0) Dims(I... values)
      : Dims(uninitialised(sizeof...(I))) {  // NOLINT(google-explicit-constructor)
    index_t* out = data();
    ((*out++ = detail::to_index(values)), ...);
  }

  /// From any contiguous range of integers: vector, array, span.
  template <class R>
  requires(!std::is_same_v<std::remove_cvref_t<R>, Dims> &&
           requires(const R& r) {
             { *r.data() } -> detail::Integer;
             { r.size() } -> detail::Integer;
           }) Dims(const R& range)
      : Dims(uninitialised(range.size())) {  // NOLINT(google-explicit-constructor)
    for (std::size_t i = 0; i < size(); ++i) (*this)[i] = detail::to_index(range.data()[i]);
  }

  Dims(const index_t* first, std::size_t count) : Dims(uninitialised(count)) {
    index_t* out = data();
    for (std::size_t i = 0; i < count; ++i) out[i] = first[i];
  }

  /// `count` copies of `value`.
  static Dims filled(std::size_t count, index_t value) {
    Dims d = uninitialised(count);
    for (index_t& v : d) v = value;
    return d;
  }

  /// `count` values, to be written at once by the caller.
  static Dims uninitialised(std::size_t count) {
    Dims d;
    d.grow(count);
    return d;
  }

  Dims(const Dims& other) {
    grow(other.size_);
    if (heap_ == nullptr) {
      std::memcpy(inline_, other.inline_, sizeof inline_);
    } else {
      std::memcpy(heap_, other.heap_, size_ * sizeof(index_t));
    }
  }
  Dims(Dims&& other) noexcept : heap_(std::exchange(other.heap_, nullptr)), size_(other.size_) {
    std::memcpy(inline_, other.inline_, sizeof inline_);
    if (heap_ != nullptr) other.size_ = 0;
  }
  Dims& operator=(const Dims& other) {
    if (this != &other) {
      Dims copy(other);
      release();
      steal(copy);
    }
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~Dims() { release(); }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const index_t* data() const noexcept { return heap_ == nullptr ? inline_ : heap_; }
  index_t* data() noexcept { return heap_ == nullptr ? inline_ : heap_; }
  const index_t* begin() const noexcept { return data(); }
  const index_t* end() const noexcept { return data() + size_; }
  index_t* begin() noexcept { return data(); }
  index_t* end() noexcept { return data() + size_; }
  /// Unchecked.
  index_t operator[](std::size_t i) const noexcept { return data()[i]; }
  index_t& operator[](std::size_t i) noexcept { return data()[i]; }
  index_t front() const noexcept { return data()[0]; }
  index_t back() const noexcept { return data()[size_ - 1]; }

  /// Inserts before position `at` (at <= size()).
  FERRY_EXPORT void insert(std::size_t at, index_t value);
  FERRY_EXPORT void erase(std::size_t at);
  void push_back(index_t value) { insert(size_, value); }

  friend bool operator==(const Dims& a, const Dims& b) noexcept {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data(), b.data(), a.size_ * sizeof(index_t)) == 0);
  }

  /// As Python writes a tuple: "()", "(3,)", "(3, 4)".
  FERRY_EXPORT std::string to_string() const;

 private:
  void grow(std::size_t count) {
    if (count > inline_rank) {
      if (count > max_rank) detail::throw_rank_overflow(count);
      heap_ = new index_t[count];
    }
    size_ = static_cast<std::uint32_t>(count);
  }
  void release() noexcept {
    delete[] heap_;
    heap_ = nullptr;
    size_ = 0;
  }
  void steal(Dims& other) noexcept {
    heap_ = std::exchange(other.heap_, nullptr);
    size_ = other.size_;
    // All eight, always: a copy of fixed size is a handful of vector moves, one of variable size a loop or a call.
    std::memcpy(inline_, other.inline_, sizeof inline_);
    if (heap_ != nullptr) other.size_ = 0;
  }

  index_t* heap_ = nullptr;  // more than inline_rank values
  std::uint32_t size_ = 0;
  index_t inline_[inline_rank] = {};
};

/// A Dims that lists extents: {2, 3} is two rows of three. Rank 0 is a single value.
using Shape = Dims;
/// A Dims that lists the bytes from one element to the next along each axis. Zero and negative are ordinary.
using Strides = Dims;
/// A Dims that lists axes; negative ones count from the end.
using Axes = Dims;

}  // namespace ferry::inline v0
