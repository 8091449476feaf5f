#include <algorithm>

#include "core/layout/access.hpp"
#include "ferry/error.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0::layouts {

namespace {

Layout part(const Layout& layout, std::size_t axis, index_t begin, index_t end) {
  Shape shape = layout.shape();
  const index_t extent = shape[axis], count = std::max<index_t>(end - begin, 0);
  shape[axis] = count;
  const index_t offset =
      layout.empty() || count == 0 ? layout.offset() : layout.offset() + begin * layout.strides()[axis];
  const index_t size = extent == 0 ? 0 : layout.size() / extent * count;
  return LayoutAccess::make(std::move(shape), layout.strides(), layout.itemsize(), offset, size);
}

void check_section(const Layout& layout, index_t section) {
  if (section < 1) {
    throw ShapeError("ferry: split: a section of " + std::to_string(section) +
                     " elements; at least 1 is needed (array of " + layout.to_string() + ")");
  }
}

// A list of views takes some hundred bytes for each; this many take more than half a terabyte.
constexpr index_t most_parts = index_t{1} << 31;

std::size_t checked_count(const char* call, const Layout& layout, index_t count) {
  if (count > most_parts) {
    throw ShapeError("ferry: " + std::string(call) + ": " + std::to_string(count) +
                     " parts are more than there is memory for their list (array of " + layout.to_string() + ")");
  }
  return static_cast<std::size_t>(count);
}

void check_parts(const Layout& layout, index_t parts) {
  if (parts < 1) {
    throw ShapeError("ferry: array_split: " + std::to_string(parts) + " parts; at least 1 is needed (array of " +
                     layout.to_string() + ")");
  }
}

}  // namespace

std::size_t section_count(const Layout& layout, index_t section, index_t axis) {
  const std::size_t a = normalise_axis("split", layout, axis);
  check_section(layout, section);
  const index_t extent = layout.shape()[a];
  return checked_count("split", layout, extent / section + (extent % section != 0 ? 1 : 0));
}

std::size_t part_count(const Layout& layout, index_t parts, index_t axis, bool equal) {
  const std::size_t a = normalise_axis(equal ? "split_equally" : "array_split", layout, axis);
  check_parts(layout, parts);
  if (equal && layout.shape()[a] % parts != 0) {
    throw ShapeError("ferry: split_equally: axis " + std::to_string(axis) + " of an array of " + layout.to_string() +
                     " does not divide into " + std::to_string(parts) + " equal parts; array_split allows others");
  }
  return checked_count("array_split", layout, parts);
}

Layout section(const Layout& layout, index_t section, index_t axis, std::size_t which) {
  const std::size_t a = normalise_axis("split", layout, axis);
  check_section(layout, section);
  const index_t begin = static_cast<index_t>(which) * section;
  return part(layout, a, begin, begin + std::min(section, layout.shape()[a] - begin));
}

Layout array_split(const Layout& layout, index_t parts, index_t axis, std::size_t which) {
  const std::size_t a = normalise_axis("array_split", layout, axis);
  check_parts(layout, parts);
  const index_t extent = layout.shape()[a], k = static_cast<index_t>(which);
  const index_t length = extent / parts, longer = extent % parts;
  const index_t begin = k * length + std::min(k, longer);
  return part(layout, a, begin, begin + length + (k < longer ? 1 : 0));
}

Layout split_at(const Layout& layout, const Dims& at, index_t axis, std::size_t which) {
  const std::size_t a = normalise_axis("split_at", layout, axis);
  const index_t extent = layout.shape()[a];
  const auto clamp = [&](index_t i) { return std::clamp<index_t>(i < 0 ? i + extent : i, 0, extent); };
  return part(layout, a, which == 0 ? 0 : clamp(at[which - 1]), which == at.size() ? extent : clamp(at[which]));
}

}  // namespace ferry::inline v0::layouts
