#include "backends/sim/sim_footprint.hpp"

#include <algorithm>
#include <cstring>

namespace ferry::inline v0::backend::sim {

namespace {

// Runs of a layout in C order; a last axis without gaps is one run.
template <class F>
bool walk(const Layout& layout, std::size_t axis, index_t at, F& f) {
  if (axis == layout.ndim()) return f(at, layout.itemsize());
  const index_t extent = layout.shape()[axis], stride = layout.strides()[axis];
  if (axis + 1 == layout.ndim() && stride == layout.itemsize()) return f(at, extent * stride);
  for (index_t i = 0; i < extent; ++i) {
    if (!walk(layout, axis + 1, at + i * stride, f)) return false;
  }
  return true;
}

}  // namespace

template <class F>
bool Footprint::for_each_run(F&& f) const {
  if (range_.empty()) return true;
  if (bits_ == nullptr) {
    if (is_run()) return f(range_.begin, range_.size());
    return walk(elements_, 0, elements_.offset(), f);
  }
  for (index_t byte = range_.begin; byte < range_.end; ++byte) {
    if (!test(byte)) continue;
    const index_t first = byte;
    while (byte < range_.end && test(byte)) ++byte;
    if (!f(first, byte - first)) return false;
  }
  return true;
}

Footprint Footprint::run(std::size_t first, std::size_t bytes) {
  return Footprint(Layout::strided({}, {}, static_cast<index_t>(bytes), static_cast<index_t>(first)));
}

Footprint Footprint::difference(const std::byte* a, const std::byte* b, std::size_t bytes) {
  constexpr std::size_t stretch = 4096;
  auto bits = std::make_shared<Bits>((bytes + 63) / 64, 0);
  ByteRange range;
  for (std::size_t from = 0; from < bytes; from += stretch) {
    const std::size_t to = std::min(from + stretch, bytes);
    if (std::memcmp(a + from, b + from, to - from) == 0) continue;
    for (std::size_t i = from; i < to; ++i) {
      if (a[i] == b[i]) continue;
      (*bits)[i / 64] |= std::uint64_t{1} << (i % 64);
      if (range.empty()) range.begin = static_cast<index_t>(i);
      range.end = static_cast<index_t>(i) + 1;
    }
  }
  return {std::move(bits), range};
}

Footprint Footprint::within(std::size_t bytes) const {
  const auto size = static_cast<index_t>(bytes);
  if (range_.begin >= 0 && range_.end <= size) return *this;
  auto bits = std::make_shared<Bits>((bytes + 63) / 64, 0);
  ByteRange range;
  for_each_run([&](index_t first, index_t count) {
    const index_t end = std::min(first + count, size);
    for (index_t byte = std::max<index_t>(first, 0); byte < end; ++byte) {
      (*bits)[static_cast<std::size_t>(byte) / 64] |= std::uint64_t{1} << (static_cast<std::size_t>(byte) % 64);
      range = range.empty() ? ByteRange{byte, byte + 1}
                            : ByteRange{std::min(range.begin, byte), std::max(range.end, byte + 1)};
    }
    return true;
  });
  return {std::move(bits), range};
}

bool Footprint::meets(const Footprint& other) const {
  if (range_.empty() || other.range_.empty()) return false;
  if (range_.end <= other.range_.begin || other.range_.end <= range_.begin) return false;
  if (bits_ == nullptr && other.bits_ == nullptr) {
    return (is_run() && other.is_run()) || layouts::overlap(elements_, other.elements_) == layouts::Overlap::yes;
  }
  if (bits_ == nullptr) return other.meets(*this);
  return !other.for_each_run([&](index_t first, index_t bytes) {
    const index_t end = std::min(first + bytes, range_.end);
    for (index_t byte = std::max(first, range_.begin); byte < end; ++byte) {
      if (test(byte)) return false;
    }
    return true;
  });
}

bool Footprint::covers(const Footprint& other) const noexcept {
  if (is_run() && range_.begin <= other.range_.begin && other.range_.end <= range_.end) return true;
  return bits_ == nullptr && other.bits_ == nullptr && elements_ == other.elements_;
}

std::uint64_t Footprint::hash(const std::byte* base) const {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3, hash ^= hash >> 29; };
  for_each_run([&](index_t first, index_t bytes) {
    const std::byte* at = base + first;
    for (; bytes >= 8; bytes -= 8, at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      mix(word);
    }
    for (; bytes > 0; --bytes) mix(static_cast<std::uint64_t>(*at++));
    return true;
  });
  return hash;
}

void Footprint::fill(std::byte* base, std::byte value) const {
  for_each_run([&](index_t first, index_t bytes) {
    std::memset(base + first, static_cast<int>(value), static_cast<std::size_t>(bytes));
    return true;
  });
}

bool Footprint::all_equal(const std::byte* base, std::byte value) const {
  return for_each_run([&](index_t first, index_t bytes) {
    return std::all_of(base + first, base + first + bytes, [value](std::byte b) { return b == value; });
  });
}

std::string Footprint::to_string() const {
  return "bytes " + std::to_string(range_.begin) + " to " + std::to_string(range_.end - 1) +
         (is_run() ? "" : " with gaps");
}

}  // namespace ferry::inline v0::backend::sim
