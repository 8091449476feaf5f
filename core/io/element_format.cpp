#include "core/io/element_format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/io/real_text.hpp"
#include "core/io/utf8.hpp"

namespace ferry::inline v0::io {

namespace {

constexpr int precision = 8;  // NumPy's default: at most so many digits after the point

std::string blanks(std::size_t wanted, std::size_t present) {
  return std::string(wanted > present ? wanted - present : 0, ' ');
}

// ---- integers

template <class T>
std::string integer_of(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  char buffer[24];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string wide_integer(const std::byte* at, bool is_signed) {
  __extension__ using Wide = unsigned __int128;
  Wide value;
  std::memcpy(&value, at, sizeof value);
  const bool negative = is_signed && (value >> 127) != 0;
  if (negative) value = ~value + 1;
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

std::string integer_text(const DType& dtype, const std::byte* at) {
  const bool is_signed = dtype.kind() == Kind::signed_integer;
  switch (dtype.itemsize()) {
    case 1:
      return is_signed ? integer_of<std::int8_t>(at) : integer_of<std::uint8_t>(at);
    case 2:
      return is_signed ? integer_of<std::int16_t>(at) : integer_of<std::uint16_t>(at);
    case 4:
      return is_signed ? integer_of<std::int32_t>(at) : integer_of<std::uint32_t>(at);
    case 8:
      return is_signed ? integer_of<std::int64_t>(at) : integer_of<std::uint64_t>(at);
    default:
      return wide_integer(at, is_signed);
  }
}

class IntegerFormat final : public ElementFormat {
 public:
  IntegerFormat(const DType& dtype, const Cells& cells) : dtype_(dtype) {
    for (const std::byte* at : cells) width_ = std::max(width_, integer_text(dtype_, at).size());
  }
  std::string text(const std::byte* at) const override {
    const std::string digits = integer_text(dtype_, at);
    return blanks(width_, digits.size()) + digits;
  }

 private:
  DType dtype_;
  std::size_t width_ = 0;
};

// ---- floating-point numbers

/// Columns of one precision: positional, or scientific for the very large, the very small and the widely spread.
class RealColumn {
 public:
  /// `sign`: positive numbers bear theirs too.
  RealColumn(const std::vector<Real>& values, bool sign) : sign_(sign) {
    std::vector<Real> finite;
    std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](const Real& x) { return x.is_finite(); });
    scientific_ = is_scientific(finite);
    for (const Real& x : finite) measure(x);
    if (scientific_) after_width_ = exponent_width_ + 2 + fraction_width_;
    if (finite.size() == values.size()) return;
    const bool signed_infinity =
        sign || std::any_of(values.begin(), values.end(), [](const Real& x) { return !x.is_finite() && x.value < 0; });
    // The point counts too.
    const std::size_t after = after_width_ + 1, infinity = signed_infinity ? 4 : 3;
    before_width_ = std::max({before_width_, after < 3 ? 3 - after : 0, after < infinity ? infinity - after : 0});
  }

  std::string text(const Real& x) const {
    if (!x.is_finite()) {
      const std::string word = non_finite_text(x, sign_);
      return blanks(before_width_ + after_width_ + 1, word.size()) + word;
    }
    const Decimal decimal = decimal_of(x, static_cast<int>(fraction_width_));
    const std::string before = before_point(decimal);
    std::string result = blanks(before_width_, before.size()) + before + "." + decimal.fraction;
    if (!scientific_) return result + blanks(fraction_width_, decimal.fraction.size());
    const std::size_t digits = decimal.exponent.size() - 1;
    return result + "e" + decimal.exponent[0] + std::string(exponent_width_ - digits, '0') + decimal.exponent.substr(1);
  }

 private:
  static bool is_scientific(const std::vector<Real>& finite) {
    const Real *smallest = nullptr, *largest = nullptr;
    for (const Real& x : finite) {
      if (x.value == 0) continue;
      if (smallest == nullptr || std::abs(x.value) < std::abs(smallest->value)) smallest = &x;
      if (largest == nullptr || std::abs(x.value) > std::abs(largest->value)) largest = &x;
    }
    if (smallest == nullptr) return false;
    return std::abs(largest->value) >= 1e8L || std::abs(smallest->value) < static_cast<long double>(0.0001) ||
           std::abs(largest->over(*smallest)) > 1000;
  }
  // `least`: digits after the point that scientific notation is filled up to.
  Decimal decimal_of(const Real& x, int least) const {
    return scientific_ ? scientific(x, precision, least) : positional(x, precision, true);
  }
  std::string before_point(const Decimal& decimal) const {
    return (decimal.negative ? "-" : sign_ ? "+" : "") + decimal.whole;
  }
  void measure(const Real& x) {
    const Decimal decimal = decimal_of(x, 0);
    before_width_ = std::max(before_width_, before_point(decimal).size());
    fraction_width_ = std::max(fraction_width_, decimal.fraction.size());
    if (scientific_) exponent_width_ = std::max(exponent_width_, decimal.exponent.size() - 1);
    after_width_ = fraction_width_;
  }

  bool sign_, scientific_ = false;
  std::size_t before_width_ = 0, fraction_width_ = 0, exponent_width_ = 0;
  std::size_t after_width_ = 0;  // all that follows the point
};

std::vector<Real> load_all(Kind kind, index_t itemsize, const Cells& cells, index_t offset) {
  std::vector<Real> values;
  values.reserve(cells.size());
  for (const std::byte* at : cells) values.push_back(Real::load(kind, itemsize, at + offset));
  return values;
}

class RealFormat final : public ElementFormat {
 public:
  RealFormat(const DType& dtype, const Cells& cells)
      : kind_(dtype.kind()), itemsize_(dtype.itemsize()), column_(load_all(kind_, itemsize_, cells, 0), false) {}
  std::string text(const std::byte* at) const override { return column_.text(Real::load(kind_, itemsize_, at)); }

 private:
  Kind kind_;
  index_t itemsize_;
  RealColumn column_;
};

class ComplexFormat final : public ElementFormat {
 public:
  ComplexFormat(const DType& dtype, const Cells& cells)
      : part_(dtype.itemsize() / 2),
        real_(load_all(Kind::floating, part_, cells, 0), false),
        imaginary_(load_all(Kind::floating, part_, cells, part_), true) {}
  std::string text(const std::byte* at) const override {
    std::string imaginary = imaginary_.text(Real::load(Kind::floating, part_, at + part_));
    imaginary.insert(imaginary.find_last_not_of(' ') + 1, "j");
    return real_.text(Real::load(Kind::floating, part_, at)) + imaginary;
  }

 private:
  index_t part_;
  RealColumn real_, imaginary_;
};

std::string lone_complex(index_t part, const std::byte* at) {
  const Real real = Real::load(Kind::floating, part, at), imaginary = Real::load(Kind::floating, part, at + part);
  if (real.value == 0 && !std::signbit(real.value)) return lone_text(imaginary, false, true) + "j";
  return "(" + lone_text(real, false, true) + lone_text(imaginary, true, true) + "j)";
}

// ---- everything else

class BooleanFormat final : public ElementFormat {
 public:
  explicit BooleanFormat(bool alone) : true_(alone ? "True" : " True") {}
  std::string text(const std::byte* at) const override { return *at != std::byte{} ? true_ : "False"; }

 private:
  const char* true_;
};

void append_hex(std::string& out, unsigned char byte, const char* digits) {
  out += {'\\', 'x', digits[byte >> 4], digits[byte & 15u]};
}

// A quote that the text does not hold, where there is one.
char quote_for(bool has_single, bool has_double) {
  return has_single && !has_double ? '"' : '\'';
}

/// Appends what Python escapes by a letter or for the sake of the quotes.
bool append_escaped(std::string& out, char32_t c, char quote) {
  if (c == static_cast<char32_t>(quote) || c == '\\') {
    out += {'\\', static_cast<char>(c)};
  } else if (c == '\t' || c == '\n' || c == '\r') {
    out += {'\\', c == '\t' ? 't' : c == '\n' ? 'n' : 'r'};
  } else {
    return false;
  }
  return true;
}

// As Python writes bytes; the zeros that fill up the element are not shown.
std::string bytes_text(const std::byte* at, index_t size) {
  std::string_view content(reinterpret_cast<const char*>(at), static_cast<std::size_t>(size));
  content = content.substr(0, content.find_last_not_of('\0') + 1);
  const char quote = quote_for(content.find('\'') != content.npos, content.find('"') != content.npos);
  std::string text = {'b', quote};
  for (const char c : content) {
    if (append_escaped(text, static_cast<unsigned char>(c), quote)) continue;
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      append_hex(text, static_cast<unsigned char>(c), "0123456789abcdef");
    }
  }
  return text + quote;
}

std::u32string characters(const std::byte* at, index_t size) {
  std::u32string text(static_cast<std::size_t>(size / 4), U'\0');
  if (size > 0) std::memcpy(text.data(), at, static_cast<std::size_t>(size));
  while (!text.empty() && text.back() == 0) text.pop_back();
  return text;
}

// The blanks, invisible and private characters that Python escapes. Not the unassigned ones, which differ with every
// version of Unicode.
bool is_printable(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range hidden[] = {{0, 0x1f},          {0x7f, 0xa0},     {0xad, 0xad},     {0x1680, 0x1680},
                              {0x2000, 0x200f},   {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},
                              {0xd800, 0xf8ff},   {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
                              {0xf0000, 0x10ffff}};
  return std::none_of(std::begin(hidden), std::end(hidden),
                      [c](const Range& range) { return c >= range.first && c <= range.last; });
}

// As Python writes a str.
std::string unicode_text(const std::byte* at, index_t size) {
  const std::u32string content = characters(at, size);
  const char quote = quote_for(content.find(U'\'') != content.npos, content.find(U'"') != content.npos);
  std::string text(1, quote);
  for (const char32_t c : content) {
    if (append_escaped(text, c, quote)) continue;
    if (is_printable(c) && append_utf8(text, c)) continue;
    const int digits = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
    text += {'\\', digits == 2 ? 'x' : digits == 4 ? 'u' : 'U'};
    for (int k = digits - 1; k >= 0; --k) text += "0123456789abcdef"[c >> (4 * k) & 15u];
  }
  return text + quote;
}

std::string lone_unicode(const std::byte* at, index_t size) {
  std::string text;
  for (const char32_t c : characters(at, size)) {
    if (!append_utf8(text, c)) append_utf8(text, 0xfffd);  // the replacement character, for what is none
  }
  return text;
}

// Bytes without a meaning are all written alike, and NumPy takes capitals for them.
std::string raw_text(const std::byte* at, index_t size) {
  std::string text = "b'";
  for (index_t i = 0; i < size; ++i) append_hex(text, static_cast<unsigned char>(at[i]), "0123456789ABCDEF");
  return text + "'";
}

/// Text and raw bytes, which are not aligned.
class BytesFormat final : public ElementFormat {
 public:
  explicit BytesFormat(const DType& dtype) : kind_(dtype.kind()), size_(dtype.itemsize()) {}
  std::string text(const std::byte* at) const override {
    if (kind_ == Kind::unicode) return unicode_text(at, size_);
    return kind_ == Kind::raw ? raw_text(at, size_) : bytes_text(at, size_);
  }

 private:
  Kind kind_;
  index_t size_;
};

class RecordFormat final : public ElementFormat {
 public:
  RecordFormat(const DType& dtype, const Cells& cells, bool alone) : fields_(dtype.fields()) {
    for (const Field& field : fields_) {
      Cells inner;
      const index_t count = element_count(field);
      for (const std::byte* at : cells) {
        for (index_t i = 0; i < count; ++i) inner.push_back(at + field.offset + i * field.dtype.itemsize());
      }
      formats_.push_back(format_for(field.dtype, inner, alone && field.shape.empty()));
    }
  }
  std::string text(const std::byte* at) const override {
    std::string result = "(";
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::byte* first = at + fields_[i].offset;
      result += i > 0 ? ", " : "";
      result += fields_[i].shape.empty() ? formats_[i]->text(first) : sub_array(i, 0, first);
    }
    return result + (fields_.size() == 1 ? ",)" : ")");
  }

 private:
  static index_t element_count(const Field& field) {
    index_t count = 1;
    for (const index_t extent : field.shape) count *= extent;
    return count;
  }
  // Advances `at` past the elements written.
  std::string sub_array(std::size_t which, std::size_t axis, const std::byte*& at) const {
    const Field& field = fields_[which];
    if (axis == field.shape.size()) {
      const std::byte* element = at;
      at += field.dtype.itemsize();
      return formats_[which]->text(element);
    }
    std::string result = "[";
    for (index_t i = 0; i < field.shape[axis]; ++i) result += (i > 0 ? ", " : "") + sub_array(which, axis + 1, at);
    return result + "]";
  }

  std::vector<Field> fields_;
  std::vector<std::unique_ptr<ElementFormat>> formats_;
};

}  // namespace

std::unique_ptr<ElementFormat> format_for(const DType& dtype, const Cells& cells, bool alone) {
  switch (dtype.kind()) {
    case Kind::boolean:
      return std::make_unique<BooleanFormat>(alone);
    case Kind::signed_integer:
    case Kind::unsigned_integer:
      return std::make_unique<IntegerFormat>(dtype, cells);
    case Kind::floating:
    case Kind::brain:
      return std::make_unique<RealFormat>(dtype, cells);
    case Kind::complex:
      return std::make_unique<ComplexFormat>(dtype, cells);
    case Kind::record:
      return std::make_unique<RecordFormat>(dtype, cells, alone);
    case Kind::bytes:
    case Kind::unicode:
    case Kind::raw:
      break;
  }
  return std::make_unique<BytesFormat>(dtype);
}

std::string lone_element(const DType& dtype, const std::byte* at) {
  switch (dtype.kind()) {
    case Kind::floating:
    case Kind::brain:
      return lone_text(Real::load(dtype.kind(), dtype.itemsize(), at), false, false);
    case Kind::complex:
      return lone_complex(dtype.itemsize() / 2, at);
    case Kind::unicode:
      return lone_unicode(at, dtype.itemsize());
    case Kind::boolean:
    case Kind::signed_integer:
    case Kind::unsigned_integer:
    case Kind::record:
    case Kind::bytes:
    case Kind::raw:
      break;
  }
  return format_for(dtype, {at}, true)->text(at);
}

}  // namespace ferry::inline v0::io
