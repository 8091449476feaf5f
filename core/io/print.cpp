#include "ferry/print.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/copy/float_formats.hpp"
#include "core/dtype/byte_order.hpp"

namespace ferry::inline v0 {

namespace {

constexpr index_t summarise_above = 1000, edge_items = 3;
constexpr int precision = 8;

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
std::string integer_text(const std::byte* at) {
  char buffer[24];
  const auto value = load<T>(at);
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

// NumPy's default: the shortest digits that read back as the same value, at most eight of them after the point; a point
// even where nothing follows it; scientific notation for the very large and the very small.
template <class T>
std::string float_text(T value) {
  if (value != value) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[512];
  const auto text = [&](auto... format) {
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format...).ptr);
  };
  const T magnitude = std::abs(value);
  const bool scientific = magnitude != 0 && (magnitude >= static_cast<T>(1e16L) || magnitude < static_cast<T>(1e-4L));
  std::string shortest = text(scientific ? std::chars_format::scientific : std::chars_format::fixed);
  const std::size_t exponent = std::min(shortest.find('e'), shortest.size());
  const std::size_t point = shortest.find('.');
  if (point == std::string::npos) {
    shortest.insert(exponent, ".");
  } else if (exponent - point - 1 > precision) {
    shortest = text(scientific ? std::chars_format::scientific : std::chars_format::fixed, precision);
    std::size_t end = std::min(shortest.find('e'), shortest.size());
    while (shortest[end - 1] == '0') shortest.erase(--end, 1);
  }
  return shortest;
}

std::string scalar_text(const DType& dtype, const std::byte* at);

std::string complex_text(const DType& dtype, const std::byte* at) {
  const DType part = DType::scalar(Kind::floating, dtype.itemsize() / 2);
  std::string imaginary = scalar_text(part, at + part.itemsize());
  if (imaginary[0] != '-') imaginary.insert(0, "+");
  return scalar_text(part, at) + imaginary + "j";
}

std::string record_text(const DType& dtype, const std::byte* at) {
  std::string text = "(";
  for (std::size_t i = 0; i < dtype.fields().size(); ++i) {
    const Field& field = dtype.fields()[i];
    text += i > 0 ? ", " : "";
    text += field.shape.empty()
                ? scalar_text(field.dtype, at + field.offset)
                : format_array(field.dtype, at + field.offset, Layout::contiguous(field.shape, field.dtype.itemsize()));
  }
  return text + (dtype.fields().size() == 1 ? ",)" : ")");
}

std::string bytes_text(const std::byte* at, index_t size) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (index_t i = 0; i < size; ++i) {
    text += digits[static_cast<unsigned>(at[i]) >> 4];
    text += digits[static_cast<unsigned>(at[i]) & 15u];
  }
  return text;
}

std::string scalar_text(const DType& dtype, const std::byte* at) {
  if (dtype.is_swapped() && !dtype.is_record()) {
    std::vector<std::byte> native(at, at + dtype.itemsize());
    dtypes::swap_elements(dtype, native.data(), 1);
    return scalar_text(dtype.native(), native.data());
  }
  const index_t size = dtype.itemsize();
  switch (dtype.kind()) {
    case Kind::boolean:
      return load<unsigned char>(at) != 0 ? "True" : "False";
    case Kind::signed_integer:
      if (size == 1) return integer_text<std::int8_t>(at);
      if (size == 2) return integer_text<std::int16_t>(at);
      if (size == 4) return integer_text<std::int32_t>(at);
      if (size == 8) return integer_text<std::int64_t>(at);
      break;
    case Kind::unsigned_integer:
      if (size == 1) return integer_text<std::uint8_t>(at);
      if (size == 2) return integer_text<std::uint16_t>(at);
      if (size == 4) return integer_text<std::uint32_t>(at);
      if (size == 8) return integer_text<std::uint64_t>(at);
      break;
    case Kind::floating:
      if (size == 2) return float_text(copying::to_float(load<copying::Half>(at)));
      if (size == 4) return float_text(load<float>(at));
      if (size == 8) return float_text(load<double>(at));
      return float_text(load<long double>(at));
    case Kind::brain:
      return float_text(copying::to_float(load<copying::BFloat>(at)));
    case Kind::complex:
      return complex_text(dtype, at);
    case Kind::bytes: {
      const auto* text = reinterpret_cast<const char*>(at);
      return "b'" + std::string(text, strnlen(text, static_cast<std::size_t>(size))) + "'";
    }
    case Kind::record:
      return record_text(dtype, at);
    case Kind::raw:
      break;
  }
  return bytes_text(at, size);
}

class Printer {
 public:
  Printer(const DType& dtype, const std::byte* base, const Layout& layout)
      : dtype_(dtype), base_(base), layout_(layout), summarise_(layout.size() > summarise_above) {}

  std::string print() {
    if (layout_.empty()) return "[]";
    visit(0, layout_.offset(), [&](index_t at) { widen(at); });
    std::string text;
    emit(0, layout_.offset(), text);
    return text;
  }

 private:
  bool is_float() const { return dtype_.kind() == Kind::floating || dtype_.kind() == Kind::brain; }
  std::size_t digits_after_point(const std::string& text) const {
    const std::size_t point = text.find('.');
    return point == std::string::npos ? 0 : text.size() - point;
  }
  void widen(index_t at) {
    const std::string text = scalar_text(dtype_, base_ + at);
    const std::size_t after = is_float() ? digits_after_point(text) : 0;
    before_ = std::max(before_, text.size() - after);
    after_ = std::max(after_, after);
  }
  std::string cell(index_t at) const {
    std::string text = scalar_text(dtype_, base_ + at);
    if (layout_.ndim() == 0) return text;
    const std::size_t after = is_float() ? digits_after_point(text) : 0;
    if (is_float() && after == 0)
      return std::string(before_ + after_ - std::min(before_ + after_, text.size()), ' ') + text;
    return std::string(before_ - (text.size() - after), ' ') + text + std::string(after_ - after, ' ');
  }

  /// The indices to show along an axis; -1 stands for "...".
  std::vector<index_t> shown(index_t extent) const {
    std::vector<index_t> list;
    for (index_t i = 0; i < extent; ++i) {
      if (summarise_ && extent > 2 * edge_items && i == edge_items) {
        list.push_back(-1);
        i = extent - edge_items;
      }
      list.push_back(i);
    }
    return list;
  }
  template <class F>
  void visit(std::size_t axis, index_t at, const F& f) {
    if (axis == layout_.ndim()) return f(at);
    for (const index_t i : shown(layout_.shape()[axis])) {
      if (i >= 0) visit(axis + 1, at + i * layout_.strides()[axis], f);
    }
  }
  void emit(std::size_t axis, index_t at, std::string& out) {
    if (axis == layout_.ndim()) {
      out += cell(at);
      return;
    }
    const bool last = axis + 1 == layout_.ndim();
    out += "[";
    bool first = true;
    for (const index_t i : shown(layout_.shape()[axis])) {
      if (!first)
        out += last ? std::string(" ") : std::string(layout_.ndim() - axis - 1, '\n') + std::string(axis + 1, ' ');
      first = false;
      if (i < 0) {
        out += "...";
      } else {
        emit(axis + 1, at + i * layout_.strides()[axis], out);
      }
    }
    out += "]";
  }

  const DType& dtype_;
  const std::byte* base_;
  const Layout& layout_;
  bool summarise_;
  std::size_t before_ = 0, after_ = 0;
};

}  // namespace

std::string format_array(const DType& dtype, const std::byte* base, const Layout& layout) {
  return Printer(dtype, base, layout).print();
}

}  // namespace ferry::inline v0
