// The run-time description of an element type, and how a C++ type gets one.
#pragma once

#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ferry/config.hpp"
#include "ferry/dims.hpp"

namespace ferry::inline v0 {

/// NumPy's kinds; `bytes` and `unicode` are text of a fixed length, filled up with zeros, `unicode` in four bytes for
/// each character, which C++ code reads as raw memory or through view_as; `raw` is memory of a known size and no known
/// meaning, `brain` is bfloat16, which NumPy lacks.
enum class Kind : char {
  boolean = 'b',
  signed_integer = 'i',
  unsigned_integer = 'u',
  floating = 'f',
  brain = 'B',
  complex = 'c',
  bytes = 'S',
  unicode = 'U',
  raw = 'V',
  record = 'r'
};

/// `swapped` is the order that this machine does not have.
enum class ByteOrder : unsigned char { native, swapped };

struct Field;

/// What one element is: kind, size, alignment, byte order, and for a record its fields. A cheap value; record
/// descriptions are shared. Two are equal when kind, sizes, byte orders and (for records) names, offsets, shapes,
/// types and alignment are.
class FERRY_EXPORT DType {
 public:
  /// Raw, of size 1.
  DType() noexcept = default;

  /// A scalar. `alignment` 0 means the natural one; otherwise it is a power of two.
  /// @throws DTypeError for a size that the kind does not have, or an alignment that is no power of two
  static DType scalar(Kind kind, index_t itemsize, index_t alignment = 0, ByteOrder order = ByteOrder::native);
  /// Memory of `itemsize` bytes without a meaning.
  static DType raw(index_t itemsize, index_t alignment = 1);
  /// A record with the fields' offsets as given; they may overlap, come in any order, and leave gaps. `itemsize` may
  /// exceed the last field's end, `alignment` is what the whole promises (1 for packed).
  /// @throws DTypeError when a field leaves the record, a name is empty or comes twice, or the alignment is no power of
  /// two
  static DType record(std::vector<Field> fields, index_t itemsize, index_t alignment);
  /// A record whose offsets are computed: packed (no gaps, alignment 1) or as C lays a struct out. The fields' own
  /// offsets are ignored.
  /// @throws DTypeError as above, and when the size exceeds 63 bits
  static DType packed_record(std::vector<Field> fields);
  static DType aligned_record(std::vector<Field> fields);

  Kind kind() const noexcept { return kind_; }
  index_t itemsize() const noexcept { return itemsize_; }
  index_t alignment() const noexcept { return alignment_; }
  ByteOrder byte_order() const noexcept { return order_; }
  bool is_record() const noexcept { return kind_ == Kind::record; }
  /// True when this or any nested scalar has the other byte order.
  bool is_swapped() const noexcept;
  /// The same type with this and all nested scalars in this machine's byte order.
  DType native() const;
  /// The fields in the order of their declaration; empty for anything but a record.
  const std::vector<Field>& fields() const noexcept;
  /// @throws DTypeError naming the fields there are
  const Field& field(std::string_view name) const;

  /// "float64", ">int32" when swapped, "{x: float64 @0, y: int32[2] @8, size 16}" for a record.
  std::string name() const;

  friend FERRY_EXPORT bool operator==(const DType& a, const DType& b) noexcept;

 private:
  Kind kind_ = Kind::raw;
  ByteOrder order_ = ByteOrder::native;
  index_t itemsize_ = 1;
  index_t alignment_ = 1;
  std::shared_ptr<const std::vector<Field>> fields_;
};

/// One member of a record: where it lies, and for an array member its shape.
struct FERRY_EXPORT Field {
  std::string name;
  DType dtype;
  index_t offset = 0;
  Shape shape = {};

  /// dtype.itemsize() times the product of shape; INT64_MAX when that, or an extent, is impossible.
  index_t nbytes() const noexcept;
  friend FERRY_EXPORT bool operator==(const Field& a, const Field& b) noexcept;
};

/// An element type: trivially copyable and no pointer, since it crosses between memories byte by byte.
template <class T>
concept Element =
    std::is_object_v<T> && std::is_trivially_copyable_v<std::remove_cv_t<T>> && !std::is_array_v<T> &&
    !std::is_pointer_v<T> && !std::is_member_pointer_v<T> && !std::is_null_pointer_v<T> && !std::is_volatile_v<T>;

/// Specialise with `static DType get()` to describe an element type that Ferry cannot guess, such as a vendor's half.
template <class T>
struct DTypeOf;

namespace detail {
// std::complex is recognised by its shape, so that <complex>, which drags in the streams, need not be read here.
template <class T>
concept ComplexLike = requires(const T& z) {
  typename T::value_type;
  requires std::is_floating_point_v<typename T::value_type>;
  requires sizeof(T) == 2 * sizeof(typename T::value_type);
  { z.real() } -> std::same_as<typename T::value_type>;
  { z.imag() } -> std::same_as<typename T::value_type>;
};

template <class T>
concept HasDTypeOf = requires {
  {DTypeOf<T>::get()};
};

// Declared by FERRY_RECORD next to the struct and found by argument-dependent lookup.
template <class T>
concept HasRecordFields = requires(std::type_identity<T> t) {
  { ferry_record_dtype(t) } -> std::same_as<DType>;
};

template <class T>
constexpr Kind scalar_kind() {
  if constexpr (std::is_same_v<T, bool>) return Kind::boolean;
  if constexpr (std::is_enum_v<T>) return scalar_kind<std::underlying_type_t<T>>();
  if constexpr (std::is_floating_point_v<T>) return Kind::floating;
  if constexpr (std::is_integral_v<T>) return std::is_signed_v<T> ? Kind::signed_integer : Kind::unsigned_integer;
  if constexpr (ComplexLike<T>) return Kind::complex;
  return Kind::raw;
}

template <class T>
DType make_dtype() {
  if constexpr (HasDTypeOf<T>) {
    return DTypeOf<T>::get();
  } else if constexpr (HasRecordFields<T>) {
    return ferry_record_dtype(std::type_identity<T>{});
  } else if constexpr (constexpr Kind kind = scalar_kind<T>(); kind == Kind::raw) {
    return DType::raw(sizeof(T), alignof(T));
  } else {
    return DType::scalar(kind, sizeof(T), alignof(T));
  }
}
}  // namespace detail

/// A struct that FERRY_RECORD has described.
template <class T>
concept RecordType = detail::HasRecordFields<std::remove_cv_t<T>>;

/// The description of T, made once. A struct without FERRY_RECORD is raw memory of its size.
template <Element T>
const DType& dtype_of() {
  static const DType dtype = detail::make_dtype<std::remove_cv_t<T>>();
  return dtype;
}

}  // namespace ferry::inline v0
