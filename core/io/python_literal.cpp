#include "core/io/python_literal.hpp"

#include <charconv>

#include "core/io/utf8.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::io {

namespace {

constexpr int deepest = 64;  // NumPy nests records a level or two; a hostile header must not exhaust the stack

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  PythonValue parse() {
    PythonValue value = literal(0);
    skip_blanks();
    if (at_ != text_.size()) fail("something follows the dictionary");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw FormatError("at byte " + std::to_string(at_) + " of the header: " + why);
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    skip_blanks();
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  PythonValue literal(int depth) {
    using Kind = PythonValue::Kind;
    if (depth > deepest) fail("nested too deeply");
    skip_blanks();
    const char c = peek();
    if (c == '\'' || c == '"') return string();
    if (is_digit(c) || c == '-' || c == '+') return integer();
    if (take('(')) return sequence(Kind::tuple, ')', depth);
    if (take('[')) return sequence(Kind::list, ']', depth);
    if (take('{')) return dictionary(depth);
    if (take_word("True")) return {Kind::boolean, 1, {}, {}};
    if (take_word("False")) return {Kind::boolean, 0, {}, {}};
    if (take_word("None")) return {};
    fail("no Python literal that a header may hold");
  }

  PythonValue string() {
    const char quote = text_[at_++];
    PythonValue value{PythonValue::Kind::string, 0, {}, {}};
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\')
        escape(value.string);
      else
        value.string += text_[at_++];
    }
    if (at_ == text_.size()) fail("a string without its end");
    ++at_;
    return value;
  }
  // repr() escapes quotes, backslashes and what cannot be printed.
  void escape(std::string& out) {
    ++at_;
    const char c = peek();
    if (c == '\\' || c == '\'' || c == '"') {
      out += c;
      ++at_;
    } else if (c == 'n' || c == 't' || c == 'r') {
      out += c == 'n' ? '\n' : c == 't' ? '\t' : '\r';
      ++at_;
    } else if (c == 'x' || c == 'u' || c == 'U') {
      const std::size_t count = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      std::uint32_t code = 0;
      const char *begin = text_.data() + at_ + 1, *end = begin + count;
      if (text_.size() - at_ - 1 < count || std::from_chars(begin, end, code, 16).ptr != end ||
          !append_utf8(out, code)) {
        fail("a damaged escape in a string");
      }
      at_ += 1 + count;
    } else {
      fail("an escape in a string that a header does not need");
    }
  }

  PythonValue integer() {
    PythonValue value{PythonValue::Kind::integer, 0, {}, {}};
    if (peek() == '+') ++at_;
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(begin, end, value.integer);
    if (error == std::errc::result_out_of_range) fail("an integer of more than 63 bits");
    if (error != std::errc()) fail("a damaged integer");
    at_ += static_cast<std::size_t>(rest - begin);
    if (peek() == 'L') ++at_;  // Python 2 wrote long integers so
    const char next = peek();
    if (next == '.' || next == 'e' || next == '_' || next == 'x') fail("not an integer");
    return value;
  }

  PythonValue sequence(PythonValue::Kind kind, char close, int depth) {
    PythonValue value{kind, 0, {}, {}};
    bool comma = false;
    while (!take(close)) {
      if (!value.items.empty() && !comma) fail("a comma is missing");
      value.items.push_back(literal(depth + 1));
      comma = take(',');
    }
    // (6) is the number 6 in Python, and no tuple.
    if (kind == PythonValue::Kind::tuple && value.items.size() == 1 && !comma) return std::move(value.items[0]);
    return value;
  }

  PythonValue dictionary(int depth) {
    PythonValue value{PythonValue::Kind::dictionary, 0, {}, {}};
    bool comma = true;
    while (!take('}')) {
      if (!comma) fail("a comma is missing");
      value.items.push_back(literal(depth + 1));
      if (!take(':')) fail("a colon is missing");
      value.items.push_back(literal(depth + 1));
      comma = take(',');
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

PythonValue parse_python_literal(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace ferry::inline v0::io
