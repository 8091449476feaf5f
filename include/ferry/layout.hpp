// Where each element of an array lies: shape, byte strides, item size, and the offset of the first element.
#pragma once

#include <string>
#include <utility>

#include "ferry/config.hpp"
#include "ferry/dims.hpp"
#include "ferry/index.hpp"

namespace ferry::inline v0 {

/// A half-open range of bytes relative to an allocation's base. Empty when begin == end.
struct ByteRange {
  index_t begin = 0;
  index_t end = 0;
  index_t size() const noexcept { return end - begin; }
  bool empty() const noexcept { return begin == end; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// The map from an index (i0, i1, …) to a byte offset: offset() + i0*strides()[0] + i1*strides()[1] + …
///
/// A value type; making a view is making a new Layout. Every Layout that exists is sound: extents are not negative,
/// and the number of elements, their bytes and the offset of each fit 63 bits. Axes of length 1 and empty arrays
/// may have any strides. All errors are thrown before anything is allocated.
class FERRY_EXPORT Layout {
 public:
  /// Rank 0, one element of one byte.
  Layout() noexcept = default;

  /// Dense, in C or F order (A and K mean C here, as there is no source to follow). Strides of an empty array are
  /// computed as if each extent were at least 1, so that they stay the same whatever the order of operations.
  /// @throws ShapeError for a negative extent or a size that overflows
  static Layout contiguous(const Shape& shape, index_t itemsize, Order order = Order::C);

  /// Any strides, in bytes. `offset` is that of element (0, …, 0).
  /// @throws ShapeError as above, and when the ranks differ; LayoutError when an element's offset overflows
  static Layout strided(const Shape& shape, const Strides& strides, index_t itemsize, index_t offset = 0);

  /// Dense, with this layout's shape and in the given order; K keeps the axes in the order of their strides'
  /// magnitudes (NumPy's rule: a stride of 0 says nothing about an axis' place), A is F if this is F- and not
  /// C-contiguous, else C. `itemsize` 0 keeps the item size.
  Layout dense_like(Order order, index_t itemsize = 0) const;

  std::size_t ndim() const noexcept { return shape_.size(); }
  const Shape& shape() const noexcept { return shape_; }
  const Strides& strides() const noexcept { return strides_; }
  index_t itemsize() const noexcept { return itemsize_; }
  index_t offset() const noexcept { return offset_; }
  /// Number of elements: the product of the shape, 1 for rank 0.
  index_t size() const noexcept { return size_; }
  /// size() * itemsize(): what a dense copy needs, not what a strided view spans.
  index_t nbytes() const noexcept { return size_ * itemsize_; }
  bool empty() const noexcept { return size_ == 0; }

  /// Axes of length 1 are ignored; empty and rank-0 arrays are both C- and F-contiguous.
  bool is_c_contiguous() const noexcept;
  bool is_f_contiguous() const noexcept;
  /// True when every element lies at a multiple of `alignment`, given a base that does.
  bool is_aligned(index_t alignment) const noexcept;

  /// The bytes from the lowest touched to one past the highest, gaps included.
  /// 1 element beyond the sum of (extent-1)*|stride|, so not the product of the extents.
  ByteRange byte_range() const noexcept;

  /// The byte offset of one element. Unchecked; `index` has ndim() entries.
  index_t at(const index_t* index) const noexcept {
    index_t byte = offset_;
    const index_t* strides = strides_.data();
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) byte += index[axis] * strides[axis];
    return byte;
  }

  /// The same elements with the first one at another offset.
  Layout with_offset(index_t offset) const;

  /// Shape, strides and item size equal up to what does not matter: strides of unit axes and of empty arrays.
  /// The offset counts.
  bool same_elements(const Layout& other) const noexcept;

  friend bool operator==(const Layout& a, const Layout& b) noexcept {
    return a.offset_ == b.offset_ && a.itemsize_ == b.itemsize_ && a.shape_ == b.shape_ && a.strides_ == b.strides_;
  }

  /// "shape (3, 4), strides (32, 8) bytes", for error texts.
  std::string to_string() const;

 private:
  friend struct LayoutAccess;  // core/layout: builds results whose soundness follows from the operand's
  template <class ShapeLike, class StridesLike>
  Layout(ShapeLike&& shape, StridesLike&& strides, index_t itemsize, index_t offset, index_t size)
      : shape_(std::forward<ShapeLike>(shape)),
        strides_(std::forward<StridesLike>(strides)),
        itemsize_(itemsize),
        offset_(offset),
        size_(size) {}
  Shape shape_;
  Strides strides_;
  index_t itemsize_ = 1;
  index_t offset_ = 0;
  index_t size_ = 1;
};

/// Views: each function returns the layout of a view of the same memory, and never touches memory.
/// Axes may be negative, counting from the end; one out of range or given twice is a ShapeError.
namespace layouts {

/// NumPy's basic indexing: integers drop their axis, slices clamp, newaxis adds an axis, ellipsis fills up; missing
/// trailing entries are full slices.
/// @throws IndexError for an integer out of range, too many entries, two ellipses, or a step of 0
FERRY_EXPORT Layout index(const Layout& layout, const IndexEntry* entries, std::size_t count);

/// Axis i of the result is axis axes[i] of the operand.
FERRY_EXPORT Layout permute(const Layout& layout, const Axes& axes);
/// Axes in reverse order.
FERRY_EXPORT Layout transpose(const Layout& layout);
/// Drops all axes of length 1, or just the named ones, each of which must have length 1.
FERRY_EXPORT Layout squeeze(const Layout& layout);
FERRY_EXPORT Layout squeeze(const Layout& layout, const Axes& axes);
/// Reverses the elements along an axis.
FERRY_EXPORT Layout flip(const Layout& layout, index_t axis);
/// NumPy's rule: axes of length 1 and missing leading axes are repeated with a stride of 0.
/// @throws ShapeError naming both shapes
FERRY_EXPORT Layout broadcast_to(const Layout& layout, const Shape& shape);
/// The shape that both broadcast to.
/// @throws ShapeError naming both shapes
FERRY_EXPORT Shape broadcast_shapes(const Shape& a, const Shape& b);

/// The elements' bytes under another item size. Same size: any layout. Otherwise the last axis must be dense and its
/// bytes divide; an array of rank 0 needs the same size.
FERRY_EXPORT Layout view_as(const Layout& layout, index_t itemsize);
/// A member of each element: `shape` is () for a plain member; an array member adds its axes at the end, C order.
FERRY_EXPORT Layout field(const Layout& layout, index_t offset, index_t itemsize, const Shape& shape = {});

/// Replaces the one -1 in `shape` by the extent that makes the sizes equal.
/// @throws ShapeError naming both shapes: two -1, another negative, a size that differs or does not divide
FERRY_EXPORT Shape infer_shape(const Layout& layout, const Shape& shape);
/// Reads the elements in `order` (C or F; A is resolved as in dense_like) and lays them out in `shape` in the same
/// order, as a view. Returns false when no strides can express that; `shape` must be inferred already.
FERRY_EXPORT bool try_reshape(const Layout& layout, const Shape& shape, Order order, Layout& result);

/// Parts of `section` elements along `axis`; the last may be smaller. An empty axis gives no part.
/// @throws ShapeError when section < 1
FERRY_EXPORT std::size_t section_count(const Layout& layout, index_t section, index_t axis);
FERRY_EXPORT Layout section(const Layout& layout, index_t section, index_t axis, std::size_t which);
/// NumPy's array_split: `parts` parts, the first (n % parts) one longer than the others; may be empty.
FERRY_EXPORT Layout array_split(const Layout& layout, index_t parts, index_t axis, std::size_t which);
/// How many parts array_split is to make, which need a list.
/// @throws ShapeError for less than 1, and for more than any memory has room for; when `equal`, also when the parts
/// would not have the same length
FERRY_EXPORT std::size_t part_count(const Layout& layout, index_t parts, index_t axis, bool equal);
/// NumPy's split by indices: part k is [at[k-1] : at[k]] with Python's slice rules; at.size()+1 parts.
FERRY_EXPORT Layout split_at(const Layout& layout, const Dims& at, index_t axis, std::size_t which);

/// What is known of two sets of elements, or of the elements of one array.
enum class Overlap : unsigned char { no, yes, undecided };

/// Whether some byte belongs to both. Both offsets count from the same base. Exact but for inputs that exceed a work
/// limit (deciding it is a bounded linear Diophantine problem, NP-hard in the rank), which are undecided.
FERRY_EXPORT Overlap overlap(const Layout& a, const Layout& b);
/// Whether two different indices share a byte.
FERRY_EXPORT Overlap self_overlap(const Layout& layout);

}  // namespace layouts
}  // namespace ferry::inline v0
