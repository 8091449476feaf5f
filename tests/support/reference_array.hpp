// The model that the property tests compare Ferry with: an array is its shape and the address of every element, spelled
// out. There are no strides here, and nothing is shared with the library but the types in which an index is written.
#pragma once

#include <cstddef>
#include <ferry/index.hpp>
#include <ferry/layout.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace ferry::test {

using List = std::vector<index_t>;
using Bytes = std::vector<unsigned char>;

inline List to_list(const Dims& dims) {
  return {dims.begin(), dims.end()};
}

/// What an operation is refused for: each stands for the error type of the same name.
enum class Fault { shape, index, layout };
struct Refusal {
  Fault fault;
};

struct ReferenceArray {
  List shape;
  index_t itemsize = 1;
  List addresses;  ///< of every element, in C order

  static ReferenceArray strided(const List& shape, const List& strides, index_t itemsize, index_t offset);

  index_t size() const { return static_cast<index_t>(addresses.size()); }
  bool empty() const { return addresses.empty(); }
  std::size_t ndim() const { return shape.size(); }
  index_t at(const List& index) const;

  bool is_c_contiguous() const;
  bool is_f_contiguous() const;
  /// The lowest address, and one past the last byte.
  std::pair<index_t, index_t> byte_range() const;
  /// Whether some byte belongs to two elements.
  bool aliases_itself() const;
  bool shares_a_byte_with(const ReferenceArray& other) const;
  /// From one element to the next along an axis, if the array has two such elements.
  std::optional<index_t> step(std::size_t axis) const;
};

namespace reference {

/// Calls visit(index) for every index of a shape, the last axis running fastest, or the first.
template <class Visit>
void walk(const List& shape, bool first_axis_fastest, const Visit& visit) {
  for (const index_t extent : shape) {
    if (extent == 0) return;
  }
  List index(shape.size(), 0);
  for (;;) {
    visit(std::as_const(index));
    std::size_t turned = 0;
    for (; turned < shape.size(); ++turned) {
      const std::size_t axis = first_axis_fastest ? turned : shape.size() - 1 - turned;
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
    if (turned == shape.size()) return;
  }
}

index_t count(const List& shape);
/// Where an index stands in C order.
std::size_t position(const List& shape, const List& index);

/// Python's slice: the indices it picks from a sequence of the given length. @throws Refusal for a step of 0
List slice_indices(index_t length, const Slice& slice);

// Views. Each throws Refusal where Ferry must throw.
ReferenceArray index(const ReferenceArray& a, const std::vector<IndexEntry>& entries);
ReferenceArray permute(const ReferenceArray& a, const List& axes);
ReferenceArray transpose(const ReferenceArray& a);
ReferenceArray squeeze(const ReferenceArray& a);
ReferenceArray squeeze(const ReferenceArray& a, const List& axes);
ReferenceArray flip(const ReferenceArray& a, index_t axis);
ReferenceArray broadcast_to(const ReferenceArray& a, const List& shape);
ReferenceArray view_as(const ReferenceArray& a, index_t itemsize);
ReferenceArray field(const ReferenceArray& a, index_t offset, index_t itemsize, const List& shape = {});
std::vector<ReferenceArray> split(const ReferenceArray& a, index_t section, index_t axis);
std::vector<ReferenceArray> array_split(const ReferenceArray& a, index_t parts, index_t axis);
std::vector<ReferenceArray> split_at(const ReferenceArray& a, const List& at, index_t axis);

/// The positions (in C order) of the elements as they are read in an order: C, F, A, or K.
std::vector<std::size_t> reading_order(const ReferenceArray& a, Order order);
/// The -1 in a shape replaced.
List infer_shape(const ReferenceArray& a, const List& shape);
/// Reads the elements in C, F or A order and lays them out in the same order. Always possible: addresses need no
/// strides.
ReferenceArray reshape(const ReferenceArray& a, const List& shape, Order order);
ReferenceArray ravel(const ReferenceArray& a, Order order);
/// Whether strides can express the array's addresses: each must follow from those of the first element's neighbours.
bool has_strides(const ReferenceArray& a);

/// The axes of length 1 put where the destination of a copy has its own. @throws Refusal when shapes differ otherwise
ReferenceArray match_equal(const ReferenceArray& source, const List& shape);
/// As an assignment broadcasts: leading axes of length 1 that the destination lacks do not count.
ReferenceArray match_broadcast(ReferenceArray source, const List& shape);

/// All elements' bytes, in C order.
Bytes gather(const Bytes& memory, const ReferenceArray& a);
/// Writes them back.
void scatter(Bytes& memory, const ReferenceArray& a, const Bytes& elements);
/// The source is read first, whatever the two share. Shapes must agree.
void copy(Bytes& to_memory, const ReferenceArray& to, const Bytes& from_memory, const ReferenceArray& from);
void fill(Bytes& memory, const ReferenceArray& to, const Bytes& element);

}  // namespace reference
}  // namespace ferry::test
