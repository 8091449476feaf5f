// Exactly which bytes of a block an operation touches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ferry/layout.hpp"

namespace ferry::inline v0::backend::sim {

/// A set of bytes, counted from a block's first one: the elements of a layout, or any bytes at all. Not spans: two
/// operations on different columns of a matrix touch different bytes.
class Footprint {
 public:
  explicit Footprint(Layout elements) : elements_(std::move(elements)), range_(elements_.byte_range()) {}
  static Footprint run(std::size_t first, std::size_t bytes);
  /// The bytes in which two memories of one size differ.
  static Footprint difference(const std::byte* a, const std::byte* b, std::size_t bytes);

  /// What of it lies in a block of so many bytes: an operation may go on in the block's neighbours.
  Footprint within(std::size_t bytes) const;

  const ByteRange& range() const noexcept { return range_; }
  bool empty() const noexcept { return range_.empty(); }
  /// Without gaps.
  bool is_run() const noexcept {
    return bits_ == nullptr && (elements_.is_c_contiguous() || elements_.is_f_contiguous());
  }
  /// Exact; where that could not be decided, the answer is no.
  bool meets(const Footprint& other) const;
  bool contains(std::size_t byte) const { return meets(run(byte, 1)); }
  /// Every byte of `other` is one of this; may miss some cases.
  bool covers(const Footprint& other) const noexcept;

  /// A number that changes, in all likelihood, when one of the bytes does; `base` is the block's first byte.
  std::uint64_t hash(const std::byte* base) const;
  void fill(std::byte* base, std::byte value) const;
  bool all_equal(const std::byte* base, std::byte value) const;
  /// "bytes 0 to 99".
  std::string to_string() const;

 private:
  using Bits = std::vector<std::uint64_t>;
  Footprint(std::shared_ptr<const Bits> bits, ByteRange range) : range_(range), bits_(std::move(bits)) {}
  /// Calls f(first byte, bytes) for each run, until it returns false.
  template <class F>
  bool for_each_run(F&& f) const;
  bool test(index_t byte) const noexcept {
    return ((*bits_)[static_cast<std::size_t>(byte) / 64] >> (static_cast<std::size_t>(byte) % 64) & 1) != 0;
  }

  Layout elements_;
  ByteRange range_;
  std::shared_ptr<const Bits> bits_;  // null: the layout says it
};

}  // namespace ferry::inline v0::backend::sim
