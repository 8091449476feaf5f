#include "ferry/dtype.hpp"

#include <algorithm>
#include <set>

#include "ferry/error.hpp"

namespace ferry::inline v0 {

namespace {

bool has_size(Kind kind, index_t itemsize) {
  const auto any_of = [itemsize](std::initializer_list<index_t> sizes) {
    return std::find(sizes.begin(), sizes.end(), itemsize) != sizes.end();
  };
  switch (kind) {
    case Kind::boolean:
      return itemsize == 1;
    case Kind::signed_integer:
    case Kind::unsigned_integer:
      return any_of({1, 2, 4, 8, 16});
    case Kind::floating:
      return any_of({2, 4, 8, 16});
    case Kind::brain:
      return itemsize == 2;
    case Kind::complex:
      return any_of({8, 16, 32});
    case Kind::bytes:
      return itemsize >= 0;
    case Kind::unicode:
      return itemsize >= 0 && itemsize % 4 == 0;
    case Kind::raw:
    case Kind::record:
      return false;
  }
  return false;
}

index_t natural_alignment(Kind kind, index_t itemsize) {
  if (kind == Kind::bytes) return 1;
  if (kind == Kind::unicode) return 4;
  return kind == Kind::complex ? itemsize / 2 : itemsize;
}

std::string scalar_name(Kind kind, index_t itemsize) {
  const std::string bits = std::to_string(itemsize * 8);
  switch (kind) {
    case Kind::boolean:
      return "bool";
    case Kind::signed_integer:
      return "int" + bits;
    case Kind::unsigned_integer:
      return "uint" + bits;
    case Kind::floating:
      return "float" + bits;
    case Kind::brain:
      return "bfloat" + bits;
    case Kind::complex:
      return "complex" + bits;
    case Kind::bytes:
      return "bytes" + std::to_string(itemsize);
    case Kind::unicode:
      return "unicode" + std::to_string(itemsize / 4);
    case Kind::raw:
    case Kind::record:
      break;
  }
  return "raw" + std::to_string(itemsize);
}

// Callers add and round up sizes that a file may have made up.
[[noreturn]] void throw_too_large() {
  throw DTypeError("ferry: a record is larger than 2^63 bytes");
}
index_t checked_sum(index_t a, index_t b) {
  index_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw_too_large();
  return sum;
}
index_t round_up(index_t value, index_t multiple) {
  return checked_sum(value, multiple - 1) / multiple * multiple;
}

void check_alignment(index_t alignment) {
  if (alignment < 1 || (alignment & (alignment - 1)) != 0) {
    throw DTypeError("ferry: an alignment of " + std::to_string(alignment) + " bytes is no power of two");
  }
}

const std::vector<Field>& no_fields() {
  static const std::vector<Field> none;
  return none;
}

}  // namespace

DType DType::scalar(Kind kind, index_t itemsize, index_t alignment, ByteOrder order) {
  if (!has_size(kind, itemsize)) {
    throw DTypeError("ferry: there is no scalar " + scalar_name(kind, itemsize) + " of " + std::to_string(itemsize) +
                     " bytes");
  }
  DType dtype;
  dtype.kind_ = kind;
  // A single byte has no order; keeping one would make equal types differ.
  dtype.order_ = itemsize == 1 || kind == Kind::bytes ? ByteOrder::native : order;
  dtype.itemsize_ = itemsize;
  dtype.alignment_ = alignment == 0 ? natural_alignment(kind, itemsize) : alignment;
  check_alignment(dtype.alignment_);
  return dtype;
}

DType DType::raw(index_t itemsize, index_t alignment) {
  if (itemsize < 0) throw DTypeError("ferry: raw memory of " + std::to_string(itemsize) + " bytes");
  check_alignment(alignment);
  DType dtype;
  dtype.itemsize_ = itemsize;
  dtype.alignment_ = alignment;
  return dtype;
}

DType DType::record(std::vector<Field> fields, index_t itemsize, index_t alignment) {
  if (itemsize < 0) throw DTypeError("ferry: a record of " + std::to_string(itemsize) + " bytes");
  check_alignment(alignment);
  std::set<std::string_view> names;
  for (const Field& field : fields) {
    if (field.name.empty()) throw DTypeError("ferry: a record's field has no name");
    if (!names.insert(field.name).second) throw DTypeError("ferry: a record has two fields named '" + field.name + "'");
    for (const index_t extent : field.shape) {
      if (extent < 0) throw DTypeError("ferry: field '" + field.name + "' has a negative extent");
    }
    const index_t bytes = field.nbytes();
    if (bytes == INT64_MAX) throw DTypeError("ferry: field '" + field.name + "' is larger than 2^63 bytes");
    if (field.offset < 0 || bytes > itemsize || field.offset > itemsize - bytes) {
      throw DTypeError("ferry: field '" + field.name + "' of " + std::to_string(bytes) + " bytes at offset " +
                       std::to_string(field.offset) + " leaves a record of " + std::to_string(itemsize) + " bytes");
    }
  }
  DType dtype;
  dtype.kind_ = Kind::record;
  dtype.itemsize_ = itemsize;
  dtype.alignment_ = alignment;
  dtype.fields_ = std::make_shared<const std::vector<Field>>(std::move(fields));
  return dtype;
}

DType DType::packed_record(std::vector<Field> fields) {
  index_t end = 0;
  for (Field& field : fields) {
    field.offset = end;
    end = checked_sum(end, field.nbytes());
  }
  return record(std::move(fields), end, 1);
}

DType DType::aligned_record(std::vector<Field> fields) {
  index_t end = 0, alignment = 1;
  for (Field& field : fields) {
    field.offset = round_up(end, field.dtype.alignment());
    end = checked_sum(field.offset, field.nbytes());
    alignment = std::max(alignment, field.dtype.alignment());
  }
  return record(std::move(fields), round_up(end, alignment), alignment);
}

bool DType::is_swapped() const noexcept {
  if (order_ == ByteOrder::swapped) return true;
  return std::any_of(fields().begin(), fields().end(), [](const Field& field) { return field.dtype.is_swapped(); });
}

DType DType::native() const {
  if (!is_swapped()) return *this;
  DType result = *this;
  result.order_ = ByteOrder::native;
  if (fields_ != nullptr) {
    std::vector<Field> fields = *fields_;
    for (Field& field : fields) field.dtype = field.dtype.native();
    result.fields_ = std::make_shared<const std::vector<Field>>(std::move(fields));
  }
  return result;
}

const std::vector<Field>& DType::fields() const noexcept {
  return fields_ != nullptr ? *fields_ : no_fields();
}

const Field& DType::field(std::string_view name) const {
  for (const Field& field : fields()) {
    if (field.name == name) return field;
  }
  throw DTypeError("ferry: there is no field '" + std::string(name) + "' in " + this->name());
}

std::string DType::name() const {
  if (kind_ != Kind::record) return (order_ == ByteOrder::swapped ? ">" : "") + scalar_name(kind_, itemsize_);
  std::string text = "{";
  for (const Field& field : fields()) {
    text += field.name + ": " + field.dtype.name();
    for (const index_t extent : field.shape) text += "[" + std::to_string(extent) + "]";
    text += " @" + std::to_string(field.offset) + ", ";
  }
  return text + "size " + std::to_string(itemsize_) + "}";
}

bool operator==(const DType& a, const DType& b) noexcept {
  if (a.kind_ != b.kind_ || a.order_ != b.order_ || a.itemsize_ != b.itemsize_) return false;
  if (a.kind_ != Kind::record) return true;
  return a.alignment_ == b.alignment_ && (a.fields_ == b.fields_ || a.fields() == b.fields());
}

index_t Field::nbytes() const noexcept {
  index_t bytes = dtype.itemsize();
  for (const index_t extent : shape) {
    // A field too large to count fits no record: record() refuses it.
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return INT64_MAX;
  }
  return bytes;
}

bool operator==(const Field& a, const Field& b) noexcept {
  return a.name == b.name && a.offset == b.offset && a.shape == b.shape && a.dtype == b.dtype;
}

}  // namespace ferry::inline v0
