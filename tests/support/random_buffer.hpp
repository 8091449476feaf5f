// Memory whose every byte is known, on the host and on the device under test, and random views into it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <ferry/ferry.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/random_layout.hpp"
#include "support/test_device.hpp"

namespace ferry::test {

/// An allocation seen as bytes, and the model of what they are.
template <template <class> class Array>
struct Buffer {
  Array<unsigned char> root;
  Bytes image;
  bool page_locked = false;
};
using DeviceBuffer = Buffer<NDArray>;
using HostBuffer = Buffer<HostArray>;

/// A view into a buffer; the model's addresses count from the buffer's first byte.
template <template <class> class Array, class T>
struct View {
  Array<T> array;
  ReferenceArray model;
};

/// Shape and strides that are still to be given a place.
struct Strided {
  List shape, strides;
  index_t low = 0, high = 0;  ///< the bytes that it reaches, relative to element (0, …, 0)

  index_t span() const { return high - low; }
};

enum class Aliasing { never, allowed };

inline Strided random_strided(Random& random, const List& shape, index_t itemsize, Aliasing aliasing) {
  for (;;) {
    const List strides = aliasing == Aliasing::never ? random_strides_without_aliasing(random, shape, itemsize)
                                                     : random_strides(random, shape, itemsize);
    const auto [low, high] = ReferenceArray::strided(shape, strides, itemsize, 0).byte_range();
    if (high - low <= 20'000) return {shape, strides, low, high};
  }
}

inline DeviceBuffer device_buffer(Random& random, index_t bytes) {
  const Bytes image = random.bytes(static_cast<std::size_t>(bytes));
  return {to_device(image, {.device = device()}), image};
}

/// Pageable memory of Ferry's, page-locked memory, or memory that somebody else owns.
inline HostBuffer host_buffer(Random& random, index_t bytes) {
  HostBuffer buffer{{}, random.bytes(static_cast<std::size_t>(bytes))};
  const index_t kind = random.below(3);
  if (kind == 0) {
    buffer.root = host_array<unsigned char>({bytes});
  } else if (kind == 1) {
    buffer.root = pinned_array<unsigned char>({bytes}, {.device = device()});
    buffer.page_locked = true;
  } else {
    const auto owner = std::make_shared<Bytes>(buffer.image.size());
    buffer.root = host_view(owner->data(), {bytes}, {}, owner);
  }
  std::memcpy(buffer.root.data(), buffer.image.data(), buffer.image.size());
  return buffer;
}

inline Buffer<MappedArray> mapped_buffer(Random& random, index_t bytes) {
  Buffer<MappedArray> buffer{{}, random.bytes(static_cast<std::size_t>(bytes)), true};
  buffer.root = mapped_array<unsigned char>({bytes}, {.device = device()});
  std::memcpy(buffer.root.host().data(), buffer.image.data(), buffer.image.size());
  return buffer;
}
inline Buffer<ManagedArray> managed_buffer(Random& random, index_t bytes) {
  Buffer<ManagedArray> buffer{{}, random.bytes(static_cast<std::size_t>(bytes)), true};
  buffer.root = managed_array<unsigned char>({bytes}, {.device = device()});
  std::memcpy(buffer.root.host().data(), buffer.image.data(), buffer.image.size());
  return buffer;
}

/// A buffer of the kind that Array needs.
template <template <class> class Array>
Buffer<Array> random_buffer(Random& random, index_t bytes) {
  if constexpr (std::is_same_v<Buffer<Array>, HostBuffer>) {
    return host_buffer(random, bytes);
  } else if constexpr (std::is_same_v<Buffer<Array>, Buffer<MappedArray>>) {
    return mapped_buffer(random, bytes);
  } else if constexpr (std::is_same_v<Buffer<Array>, Buffer<ManagedArray>>) {
    return managed_buffer(random, bytes);
  } else {
    return device_buffer(random, bytes);
  }
}

inline Bytes read(const NDArray<unsigned char>& root) {
  const HostArray<unsigned char> bytes = root.copy_to_host();
  return {bytes.data(), bytes.data() + bytes.size()};
}
inline Bytes read(const HostArray<unsigned char>& root) {
  return {root.data(), root.data() + root.size()};
}

template <class A>
requires(detail::is_two_faced<A>) Bytes read(const A& root) {
  return read(root.host());
}

/// Every byte of the memory is as the model says, also those between the elements.
template <template <class> class Array>
::testing::AssertionResult is_intact(const Buffer<Array>& buffer) {
  const Bytes found = read(buffer.root);
  if (found == buffer.image) return ::testing::AssertionSuccess();
  std::size_t first = 0, wrong = 0;
  for (std::size_t i = found.size(); i-- > 0;) {
    if (found[i] == buffer.image[i]) continue;
    ++wrong;
    first = i;
  }
  return ::testing::AssertionFailure() << wrong << " of " << found.size() << " bytes differ, the first is byte "
                                       << first << ": " << int{found[first]} << ", but must be "
                                       << int{buffer.image[first]};
}

/// Puts strides somewhere into a buffer that is large enough for them.
template <class T, template <class> class Array>
View<Array, T> place(Random& random, const Buffer<Array>& buffer, const Strided& strided) {
  const index_t size = buffer.root.size(), item = sizeof(T);
  const index_t first = random.between(0, size - strided.span()) - strided.low;
  const Array<T> whole = buffer.root.view(slice(size / item * item)).template view_as<T>();
  return {whole.as_strided(strided.shape, strided.strides, first),
          ReferenceArray::strided(strided.shape, strided.strides, item, first)};
}

template <class ArrayOfT>
ArrayOfT view_slices(const ArrayOfT& array, const std::vector<Slice>& slices) {
  switch (slices.size()) {
    case 0:
      return array.view();
    case 1:
      return array.view(slices[0]);
    case 2:
      return array.view(slices[0], slices[1]);
    case 3:
      return array.view(slices[0], slices[1], slices[2]);
    default:
      return array.view(slices[0], slices[1], slices[2], slices[3], ellipsis);
  }
}

/// A view of a view, through the calls that a user makes.
template <template <class> class Array, class T>
View<Array, T> random_view(Random& random, const View<Array, T>& from) {
  const auto& [array, model] = from;
  const auto rank = static_cast<index_t>(model.ndim());
  const index_t axis = rank == 0 ? 0 : random.between(-rank, rank - 1);
  switch (random.below(rank == 0 ? 2 : 8)) {
    case 0:
      return {array.transpose(), reference::transpose(model)};
    case 1:
      return {array.view(newaxis, ellipsis), reference::index(model, {newaxis, ellipsis})};
    case 2: {
      const List axes = random.permutation(model.ndim());
      return {array.permute(axes), reference::permute(model, axes)};
    }
    case 3:
      return {array.flip(axis), reference::flip(model, axis)};
    case 4:
      return {array.squeeze(), reference::squeeze(model)};
    case 5: {
      const Slice last = random_slice(random, model.shape.back());
      return {array(ellipsis, last), reference::index(model, {ellipsis, last})};
    }
    case 6: {
      if (model.shape.front() == 0) return from;
      const index_t i = random.between(-model.shape.front(), model.shape.front() - 1);
      return {array.view(i, ellipsis), reference::index(model, {i, ellipsis})};
    }
    default: {
      std::vector<Slice> slices;
      for (std::size_t k = 0; k < model.ndim() && k < 4; ++k) slices.push_back(random_slice(random, model.shape[k]));
      return {view_slices(array, slices), reference::index(model, {slices.begin(), slices.end()})};
    }
  }
}

/// No stream, or a stream of the device under test of either kind.
inline Stream random_stream(Random& random) {
  if (random.chance(40)) return {};
  return Stream(device(), {.non_blocking = random.chance(30)});
}

/// What a call was refused for, by Ferry or by the model.
template <class Call>
std::optional<Fault> fault_of(const Call& call) {
  try {
    call();
  } catch (const Refusal& refusal) {
    return refusal.fault;
  } catch (const ShapeError&) {
    return Fault::shape;
  } catch (const IndexError&) {
    return Fault::index;
  } catch (const LayoutError&) {
    return Fault::layout;
  }
  return std::nullopt;
}

/// The memory of an array that a call has made: dense, and its own. Checks that, and returns the bytes.
template <class ArrayOfT>
Bytes fresh_bytes(const ArrayOfT& array) {
  if (array.empty()) return {};
  EXPECT_EQ(array.layout().offset(), 0);
  const index_t item = array.layout().itemsize();
  const ArrayOfT in_a_row = array.as_strided({array.size()}, {item});
  if constexpr (requires { in_a_row.copy_to_host(); }) {
    const auto host = in_a_row.copy_to_host();
    const auto* bytes = reinterpret_cast<const unsigned char*>(host.handle().data());
    return {bytes, bytes + host.nbytes()};
  } else {
    const auto* bytes = reinterpret_cast<const unsigned char*>(in_a_row.handle().data());
    return {bytes, bytes + in_a_row.nbytes()};
  }
}

/// The elements of `source` in the order in which a dense array of the given order holds them.
inline Bytes in_order(const Bytes& image, const ReferenceArray& source, Order order) {
  return reference::gather(image, reference::ravel(source, order));
}

/// A new array of the source's shape whose memory holds its elements in the given order, and whose layout says so.
template <class ArrayOfT>
void expect_fresh(const ArrayOfT& array, const ReferenceArray& source, const Bytes& image, Order order) {
  ASSERT_EQ(to_list(array.shape()), source.shape);
  EXPECT_EQ(fresh_bytes(array), in_order(image, source, order)) << "order " << static_cast<int>(order);
  index_t next = 0;
  for (const std::size_t position : reference::reading_order(source, order)) {
    // The position's index, found from the back.
    List index(source.ndim());
    auto rest = static_cast<index_t>(position);
    for (std::size_t axis = source.ndim(); axis-- > 0; rest /= source.shape[axis]) {
      index[axis] = rest % source.shape[axis];
    }
    ASSERT_EQ(array.layout().at(index.data()), next) << "order " << static_cast<int>(order);
    next += source.itemsize;
  }
}

}  // namespace ferry::test
