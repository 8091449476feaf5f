// Lines and brackets of a printed array. What one element looks like is in element_format.cpp.
#include "ferry/print.hpp"

#include <cstring>
#include <vector>

#include "core/dtype/byte_order.hpp"
#include "core/io/element_format.hpp"
#include "core/io/utf8.hpp"

namespace ferry::inline v0 {

namespace {

// NumPy's defaults.
constexpr index_t summarise_above = 1000, edge_items = 3;
constexpr std::size_t line_width = 75;

class Printer {
 public:
  Printer(const DType& dtype, const std::byte* base, const Layout& layout)
      : dtype_(dtype.native()), layout_(layout), summarise_(layout.size() > summarise_above) {
    gather(0, base + layout.offset());
    dtypes::swap_elements(dtype, shown_.data(), count_);
  }

  std::string print() {
    const auto item = static_cast<std::size_t>(layout_.itemsize());
    if (layout_.ndim() == 0) return io::lone_element(dtype_, shown_.data());
    io::Cells cells;
    cells.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) cells.push_back(shown_.data() + i * item);
    format_ = io::format_for(dtype_, cells);
    next_ = cells.data();
    return bracketed(0, " ", line_width);
  }

 private:
  bool is_cut(std::size_t axis) const { return summarise_ && layout_.shape()[axis] > 2 * edge_items; }

  /// Calls f(i) for each index along an axis that is shown, and f(-1) where "..." stands.
  template <class F>
  void for_each_shown(std::size_t axis, const F& f) const {
    const index_t extent = layout_.shape()[axis];
    const bool cut = is_cut(axis);
    for (index_t i = 0; i < extent; ++i) {
      if (cut && i == edge_items) {
        f(index_t{-1});
        i = extent - edge_items;
      }
      f(i);
    }
  }

  // The elements to show, in order, copied: they may be unaligned, and of the other byte order.
  void gather(std::size_t axis, const std::byte* at) {
    if (axis < layout_.ndim()) {
      for_each_shown(axis, [&](index_t i) {
        if (i >= 0) gather(axis + 1, at + i * layout_.strides()[axis]);
      });
      return;
    }
    ++count_;
    shown_.insert(shown_.end(), at, at + layout_.itemsize());
  }

  /// The part of the array below `axis`. Lines after the first start with `indent`; the last may have `width` columns.
  std::string bracketed(std::size_t axis, const std::string& indent, std::size_t width) {
    const bool rows = axis + 1 == layout_.ndim();
    return "[" + (rows ? row(indent, width) : block(axis, indent, width)) + "]";
  }

  std::string block(std::size_t axis, const std::string& indent, std::size_t width) {
    const std::string separator(layout_.ndim() - axis - 1, '\n');
    std::string text;
    bool first = true;
    for_each_shown(axis, [&](index_t i) {
      if (!first) text += separator + indent;
      first = false;
      text += i < 0 ? "..." : bracketed(axis + 1, indent + " ", width - 1);
    });
    return text;
  }

  // Words, one blank between them, broken into lines. Room is kept for the closing bracket.
  std::string row(const std::string& indent, std::size_t width) {
    std::string text, line = indent;
    bool first = true;
    for_each_shown(layout_.ndim() - 1, [&](index_t i) {
      if (!first) line += " ";
      first = false;
      const std::string word = i < 0 ? "..." : format_->text(*next_++);
      const std::size_t columns = io::count_characters(line) + io::count_characters(word) + 1;
      if (columns > width && line.size() > indent.size()) {
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word;
    });
    return (text + line).substr(indent.size());
  }

  DType dtype_;
  const Layout& layout_;
  bool summarise_;
  std::vector<std::byte> shown_;
  std::size_t count_ = 0;
  std::unique_ptr<io::ElementFormat> format_;
  const std::byte* const* next_ = nullptr;
};

}  // namespace

std::string format_array(const DType& dtype, const std::byte* base, const Layout& layout) {
  return layout.empty() ? "[]" : Printer(dtype, base, layout).print();
}

}  // namespace ferry::inline v0
