#include "core/io/npy_header.hpp"

#include <charconv>

#include "core/io/python_literal.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::io {

namespace {

using PK = PythonValue::Kind;

[[noreturn]] void fail(const std::string& why) {
  throw FormatError(why);
}

// "<f8": byte order, kind, bytes.
DType parse_typestr(const std::string& text) {
  const auto refuse = [&]() { fail("the dtype '" + text + "' is none that Ferry reads"); };
  std::size_t at = 0;
  ByteOrder order = ByteOrder::native;
  if (!text.empty() && (text[0] == '<' || text[0] == '>' || text[0] == '=' || text[0] == '|')) {
    if (text[0] == '>') order = ByteOrder::swapped;  // Ferry's hosts are little-endian
    at = 1;
  }
  if (at >= text.size()) refuse();
  const char letter = text[at];
  if (letter == 'M' || letter == 'm') {
    fail("the dtype '" + text + "' holds dates or times, for which Ferry has no type");
  }
  if (letter == 'O') fail("the dtype '" + text + "' holds Python objects, which Ferry never loads");
  // '?' is bool; otherwise the size must be there, in plain digits.
  if (letter == '?' && text.size() == at + 1) return DType::scalar(Kind::boolean, 1);
  index_t size = 0;
  const char *begin = text.data() + at + 1, *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, size);
  if (error != std::errc() || rest != end || begin == end || size < 0) refuse();
  try {
    switch (letter) {
      case 'b':
        return DType::scalar(Kind::boolean, size);
      case 'i':
        return DType::scalar(Kind::signed_integer, size, 0, order);
      case 'u':
        return DType::scalar(Kind::unsigned_integer, size, 0, order);
      case 'f':
        return DType::scalar(Kind::floating, size, 0, order);
      case 'c':
        return DType::scalar(Kind::complex, size, 0, order);
      case 'S':
        return DType::scalar(Kind::bytes, size);
      case 'U':  // counted in characters
        if (__builtin_mul_overflow(size, index_t{4}, &size)) refuse();
        return DType::scalar(Kind::unicode, size, 0, order);
      case 'V':
        return DType::raw(size);
      default:
        break;
    }
  } catch (const DTypeError&) {
  }
  refuse();
  return {};
}

Shape parse_shape(const PythonValue& value) {
  if (value.kind != PK::tuple) fail("the shape is not a tuple of integers");
  if (value.items.size() > Dims::max_rank) {
    fail("the shape has " + std::to_string(value.items.size()) + " axes; at most 64 can be read");
  }
  Shape shape = Shape::uninitialised(value.items.size());
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (value.items[i].kind != PK::integer) fail("the shape is not a tuple of integers");
    if (value.items[i].integer < 0) fail("the shape has a negative extent");
    shape[i] = value.items[i].integer;
  }
  return shape;
}

// Of a sub-array: a single extent may stand without a tuple.
Shape parse_extents(const PythonValue& value) {
  return parse_shape(value.kind == PK::integer ? PythonValue{PK::tuple, 0, {}, {value}} : value);
}

DType parse_descr(const PythonValue& value);

// (name, descr) or (name, descr, shape); the name may be a (title, name) pair. Members without a name are padding.
Field parse_field(const PythonValue& value) {
  const auto& items = value.items;
  if (value.kind != PK::tuple || items.size() < 2 || items.size() > 3)
    fail("a field of the dtype is no (name, type[, shape])");
  Field field;
  if (items[0].kind == PK::string) {
    field.name = items[0].string;
  } else if (items[0].kind == PK::tuple && items[0].items.size() == 2 && items[0].items[1].kind == PK::string) {
    field.name = items[0].items[1].string;
  } else {
    fail("a field of the dtype has no name");
  }
  // A sub-array may also be written within the type: ('a', ('<f4', (2,))).
  const bool nested = items[1].kind == PK::tuple && items[1].items.size() == 2;
  field.dtype = parse_descr(nested ? items[1].items[0] : items[1]);
  if (nested) field.shape = parse_extents(items[1].items[1]);
  if (items.size() == 3) {
    const Shape outer = parse_extents(items[2]);
    for (std::size_t axis = 0; axis < outer.size(); ++axis) field.shape.insert(axis, outer[axis]);
  }
  return field;
}

// No file's size bounds the number of elements that take no bytes; those of a sub-array are all walked when it is
// printed.
void check_extents(const Field& field) {
  constexpr index_t most = 1 << 20;
  index_t count = field.dtype.itemsize() == 0 ? 1 : 0;
  for (const index_t extent : field.shape) {
    if (__builtin_mul_overflow(count, extent, &count)) count = most + 1;
  }
  if (count > most) fail("field '" + field.name + "' has more elements without bytes than a file may claim");
}

DType parse_descr(const PythonValue& value) {
  if (value.kind == PK::string) return parse_typestr(value.string);
  if (value.kind == PK::tuple) fail("the dtype is a sub-array without a name");
  if (value.kind != PK::list) fail("the dtype is neither a string nor a list of fields");
  std::vector<Field> fields;
  index_t end = 0;
  for (const PythonValue& item : value.items) {
    Field field = parse_field(item);
    check_extents(field);
    field.offset = end;
    if (__builtin_add_overflow(end, field.nbytes(), &end)) fail("a record of the dtype is larger than 2^63 bytes");
    if (!(field.name.empty() && field.dtype.kind() == Kind::raw)) fields.push_back(std::move(field));
  }
  try {
    return DType::record(std::move(fields), end, 1);
  } catch (const DTypeError& error) {
    fail(error.what());
  }
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {  // Python reads no bare line break within a string
      constexpr char digits[] = "0123456789abcdef";
      result += {'\\', 'x', digits[byte >> 4], digits[byte & 15u]};
      continue;
    }
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

char kind_letter(Kind kind) {
  if (kind == Kind::brain) {
    throw DTypeError("ferry: save_npy: NumPy has no bfloat16; convert with astype<float>() first");
  }
  return kind == Kind::record ? 'V' : static_cast<char>(kind);
}

std::string shape_text(const Shape& shape) {
  return shape.to_string();
}

// Fields in the order of their offsets, gaps as nameless raw members. Overlapping fields cannot be written as a list.
std::string record_descr(const DType& dtype) {
  std::string text = "[";
  index_t end = 0;
  const auto pad_to = [&](index_t offset) {
    if (offset > end)
      text += (text.size() > 1 ? ", " : "") + std::string("('', '|V") + std::to_string(offset - end) + "')";
    end = std::max(end, offset);
  };
  for (const Field& field : dtype.fields()) {
    if (field.offset < end) {
      throw DTypeError("ferry: save_npy: the fields of " + dtype.name() +
                       " overlap or are not in the order of their offsets, which the format cannot express");
    }
    pad_to(field.offset);
    text += (text.size() > 1 ? ", " : "") + std::string("(") + quoted(field.name) + ", " + npy_descr(field.dtype);
    if (!field.shape.empty()) text += ", " + shape_text(field.shape);
    text += ")";
    end = field.offset + field.nbytes();
  }
  pad_to(dtype.itemsize());
  return text + "]";
}

}  // namespace

std::string npy_descr(const DType& dtype) {
  if (dtype.is_record()) return record_descr(dtype);
  const bool ordered = dtype.itemsize() > 1 && dtype.kind() != Kind::raw && dtype.kind() != Kind::bytes;
  const char order = !ordered ? '|' : dtype.byte_order() == ByteOrder::swapped ? '>' : '<';
  const index_t size = dtype.kind() == Kind::unicode ? dtype.itemsize() / 4 : dtype.itemsize();
  return std::string("'") + order + kind_letter(dtype.kind()) + std::to_string(size) + "'";
}

void parse_npy_dictionary(std::string_view text, NpyHeader& header) {
  const PythonValue dictionary = parse_python_literal(text);
  if (dictionary.kind != PK::dictionary) fail("the header is not a dictionary");
  bool has_descr = false, has_order = false, has_shape = false;
  for (std::size_t i = 0; i < dictionary.items.size(); i += 2) {
    const PythonValue &key = dictionary.items[i], &value = dictionary.items[i + 1];
    if (key.kind == PK::string && key.string == "descr") {
      header.dtype = parse_descr(value);
      has_descr = true;
    } else if (key.kind == PK::string && key.string == "fortran_order") {
      if (value.kind != PK::boolean) fail("fortran_order is neither True nor False");
      header.order = value.integer != 0 ? Order::F : Order::C;
      has_order = true;
    } else if (key.kind == PK::string && key.string == "shape") {
      header.shape = parse_shape(value);
      has_shape = true;
    } else {
      fail("the header has an unknown key" + (key.kind == PK::string ? " '" + key.string + "'" : std::string()));
    }
  }
  if (!has_descr || !has_order || !has_shape) fail("the header lacks descr, fortran_order or shape");
}

std::string npy_dictionary(const DType& dtype, const Shape& shape, bool fortran_order) {
  return "{'descr': " + npy_descr(dtype) + ", 'fortran_order': " + (fortran_order ? "True" : "False") +
         ", 'shape': " + shape_text(shape) + ", }";
}

}  // namespace ferry::inline v0::io
