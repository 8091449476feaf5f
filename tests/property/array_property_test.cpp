// Transfers between host and device, of every element type, between views of every kind: after each, both memories must
// hold, byte by byte, what the model says.
#include "support/random_buffer.hpp"
#include "support/sample_types.hpp"

namespace ferry::test {
namespace {

template <class T>
class ArrayProperty : public ::testing::Test {};
TYPED_TEST_SUITE(ArrayProperty, SampleTypes, SampleNames);

constexpr index_t max_rank = 5, max_size = 150;

// Two views of shapes that should fit, each in memory of its own. Sometimes they do not fit, and sometimes the
// destination's elements alias each other; both are errors.
template <class T, template <class> class To, template <class> class From>
struct Pair {
  Buffer<To> to_buffer;
  Buffer<From> from_buffer;
  View<To, T> to;
  View<From, T> from;
};

template <class T, template <class> class To, template <class> class From, class SourceShape>
Pair<T, To, From> random_pair(Random& random, const SourceShape& source_shape) {
  const index_t item = sizeof(T);
  const Strided to = random_strided(random, random_shape(random, max_rank, max_size), item,
                                    random.chance(8) ? Aliasing::allowed : Aliasing::never);
  Pair<T, To, From> pair;
  pair.to_buffer = random_buffer<To>(random, to.span() + random.between(1, 40));
  pair.to = place<T>(random, pair.to_buffer, to);
  for (index_t steps = random.below(3); steps > 0; --steps) pair.to = random_view(random, pair.to);
  List shape = source_shape(random, pair.to.model.shape);
  if (!shape.empty() && random.chance(6))
    ++shape[static_cast<std::size_t>(random.below(static_cast<index_t>(shape.size())))];
  const Strided from = random_strided(random, shape, item, Aliasing::allowed);
  pair.from_buffer = random_buffer<From>(random, from.span() + random.between(1, 40));
  pair.from = place<T>(random, pair.from_buffer, from);
  return pair;
}

// What the model makes of a copy. Shapes are looked at first.
template <class P, class Match>
std::optional<Fault> model_copy(P& pair, const Match& match) {
  return fault_of([&] {
    const ReferenceArray source = match(pair.from.model, pair.to.model.shape);
    if (pair.to.model.aliases_itself()) throw Refusal{Fault::layout};
    reference::copy(pair.to_buffer.image, pair.to.model, pair.from_buffer.image, source);
  });
}

template <class P>
std::string describe(const P& pair) {
  return "from " + pair.from.array.layout().to_string() + " to " + pair.to.array.layout().to_string();
}

template <class P>
void expect_intact(const P& pair) {
  EXPECT_TRUE(is_intact(pair.to_buffer)) << "destination; " << describe(pair);
  EXPECT_TRUE(is_intact(pair.from_buffer)) << "source; " << describe(pair);
}

// A pageable source may be reused as soon as a call on a stream is back; a page-locked one when the transfer is done.
void reuse(Random& random, HostBuffer& buffer) {
  buffer.image = random.bytes(buffer.image.size());
  std::memcpy(buffer.root.data(), buffer.image.data(), buffer.image.size());
}

TYPED_TEST(ArrayProperty, CopyToDevice) {
  for_each_case(700, [](Random& random) {
    auto pair = random_pair<TypeParam, NDArray, HostArray>(random, random_unit_axes);
    const Stream stream = random_stream(random);
    if (random.chance(30)) pair.to.array = pair.to.array.bind(random_stream(random));
    const std::optional<Fault> expected = model_copy(pair, reference::match_equal);
    const std::optional<Fault> found = fault_of([&] {
      if (!stream) return pair.to.array.copy_to_device(pair.from.array);
      const Transfer transfer = pair.to.array.copy_to_device(pair.from.array, stream);
      if (!pair.from_buffer.page_locked && random.chance(50)) reuse(random, pair.from_buffer);
      transfer.wait();
    });
    EXPECT_TRUE(found == expected) << describe(pair);
    expect_intact(pair);
  });
}

TYPED_TEST(ArrayProperty, CopyToHost) {
  for_each_case(700, [](Random& random) {
    auto pair = random_pair<TypeParam, HostArray, NDArray>(random, random_unit_axes);
    const Stream stream = random_stream(random);
    if (random.chance(30)) pair.from.array = pair.from.array.bind(random_stream(random));
    const std::optional<Fault> expected = model_copy(pair, reference::match_equal);
    const std::optional<Fault> found = fault_of([&] {
      if (!stream) {
        pair.from.array.copy_to_host(pair.to.array);
        return;
      }
      const Transfer transfer = pair.from.array.copy_to_host(pair.to.array, stream);
      // Pageable memory is filled when the call is back.
      if (pair.to_buffer.page_locked || random.chance(50)) transfer.wait();
    });
    EXPECT_TRUE(found == expected) << describe(pair);
    EXPECT_TRUE(is_intact(pair.to_buffer)) << describe(pair);
    if (stream) stream.synchronize();
    expect_intact(pair);
  });
}

TYPED_TEST(ArrayProperty, BetweenDeviceArrays) {
  for_each_case(500, [](Random& random) {
    auto pair = random_pair<TypeParam, NDArray, NDArray>(random, random_unit_axes);
    const Stream stream = random_stream(random);
    const std::optional<Fault> expected = model_copy(pair, reference::match_equal);
    const std::optional<Fault> found = fault_of([&] { pair.to.array.copy_to_device(pair.from.array, stream).wait(); });
    EXPECT_TRUE(found == expected) << describe(pair);
    expect_intact(pair);
  });
}

// Planes of more than a cache tile, with remainders on both axes: transpositions are done tile by tile.
TYPED_TEST(ArrayProperty, LargePlanes) {
  for_each_case(12, [](Random& random) {
    const index_t item = sizeof(TypeParam);
    List shape{random.between(20, 80), random.between(20, 80)};
    if (random.chance(50)) shape.insert(shape.begin() + random.below(3), random.between(1, 3));
    const Bytes image = random.bytes(static_cast<std::size_t>(reference::count(shape) * item));
    const HostArray<TypeParam> source = host_array<TypeParam>(shape);
    std::memcpy(static_cast<void*>(source.data()), image.data(), image.size());
    ReferenceArray model = ReferenceArray::strided(shape, to_list(source.strides()), item, 0);
    NDArray<TypeParam> array = to_device(source, {.device = device()});
    const List axes = random.permutation(shape.size());
    array = array.permute(axes);
    model = reference::permute(model, axes);
    const Order order = random.pick(std::vector{Order::C, Order::F});
    expect_fresh(array.copy(order), model, image, order);
    expect_fresh(array.copy_to_host(), model, image, Order::K);
    expect_fresh(to_device(source.permute(axes), {.order = order, .device = device()}), model, image, order);
  });
}

TYPED_TEST(ArrayProperty, AssignBroadcasts) {
  for_each_case(400, [](Random& random) {
    auto pair = random_pair<TypeParam, NDArray, NDArray>(random, random_broadcastable);
    const Stream stream = random_stream(random);
    const std::optional<Fault> expected = model_copy(pair, reference::match_broadcast);
    const std::optional<Fault> found = fault_of([&] { pair.to.array.assign(pair.from.array, stream).wait(); });
    EXPECT_TRUE(found == expected) << describe(pair);
    expect_intact(pair);
  });
}

TYPED_TEST(ArrayProperty, AssignBroadcastsFromHost) {
  for_each_case(300, [](Random& random) {
    auto pair = random_pair<TypeParam, NDArray, HostArray>(random, random_broadcastable);
    const std::optional<Fault> expected = model_copy(pair, reference::match_broadcast);
    const std::optional<Fault> found = fault_of([&] { pair.to.array.assign(pair.from.array); });
    EXPECT_TRUE(found == expected) << describe(pair);
    expect_intact(pair);
  });
}

TYPED_TEST(ArrayProperty, AssignBroadcastsOnHost) {
  for_each_case(200, [](Random& random) {
    auto pair = random_pair<TypeParam, HostArray, HostArray>(random, random_broadcastable);
    const std::optional<Fault> expected = model_copy(pair, reference::match_broadcast);
    const std::optional<Fault> found = fault_of([&] { pair.to.array.assign(pair.from.array); });
    EXPECT_TRUE(found == expected) << describe(pair);
    expect_intact(pair);
  });
}

TYPED_TEST(ArrayProperty, ToDeviceAndBack) {
  for_each_case(500, [](Random& random) {
    const Strided strided =
        random_strided(random, random_shape(random, max_rank, max_size), sizeof(TypeParam), Aliasing::allowed);
    HostBuffer buffer = host_buffer(random, strided.span() + random.between(1, 40));
    auto from = place<TypeParam>(random, buffer, strided);
    for (index_t steps = random.below(3); steps > 0; --steps) from = random_view(random, from);
    const Order order = random.pick(std::vector{Order::C, Order::F, Order::A, Order::K});
    const Stream stream = random_stream(random);
    const Bytes before = buffer.image;
    const NDArray<TypeParam> array = to_device(from.array, {.order = order, .stream = stream, .device = device()});
    if (stream && !buffer.page_locked && random.chance(50)) reuse(random, buffer);
    if (stream) stream.synchronize();
    EXPECT_TRUE(array.device() == device());
    EXPECT_TRUE(array.stream() == stream);
    expect_fresh(array, from.model, before, order);
    // And back, as a new array that keeps the order of the axes.
    const ReferenceArray on_device =
        ReferenceArray::strided(to_list(array.shape()), to_list(array.strides()), sizeof(TypeParam), 0);
    const Bytes image = in_order(before, from.model, order);
    if (random.chance(50)) {
      expect_fresh(array.copy_to_host(), on_device, image, Order::K);
    } else {
      const Stream another = stream ? stream : Stream(device());
      expect_fresh(array.copy_to_host(another).get(), on_device, image, Order::K);
    }
    EXPECT_TRUE(is_intact(buffer));
  });
}

}  // namespace
}  // namespace ferry::test
