// Writes within one memory: fills, assignments whose two sides overlap, members of packed records, and whole programs
// of calls whose order only the stream keeps.
#include <cstddef>

#include "support/random_buffer.hpp"
#include "support/sample_types.hpp"

namespace ferry::test {
namespace {

template <class T>
class WriteProperty : public ::testing::Test {};
TYPED_TEST_SUITE(WriteProperty, SampleTypes, SampleNames);

// fill() and assign() of one value, with a stream where the array takes one.
template <template <class> class Array, class T>
void write_value(Random& random, const Array<T>& to, const T& value) {
  if constexpr (!std::is_same_v<Array<T>, HostArray<T>>) {
    const Stream stream = random_stream(random);
    if (random.chance(50)) {
      to.fill(value, stream);
    } else {
      to.assign(value, stream);
    }
    if (stream) stream.synchronize();
  } else if (random.chance(50)) {
    to.fill(value);
  } else {
    to.assign(value);
  }
}

template <template <class> class Array, class T>
void fill_case(Random& random) {
  const Strided strided = random_strided(random, random_shape(random, 5, 150), sizeof(T),
                                         random.chance(15) ? Aliasing::allowed : Aliasing::never);
  auto buffer = random_buffer<Array>(random, strided.span() + random.between(1, 40));
  auto view = place<T>(random, buffer, strided);
  for (index_t steps = random.below(3); steps > 0; --steps) view = random_view(random, view);
  // Equal bytes take a path of their own.
  const Bytes element =
      random.chance(30) ? Bytes(sizeof(T), static_cast<unsigned char>(random.below(256))) : random.bytes(sizeof(T));
  const bool aliases = view.model.aliases_itself();
  const std::optional<Fault> found = fault_of([&] { write_value(random, view.array, value_of<T>(element)); });
  EXPECT_TRUE(found == (aliases ? std::optional(Fault::layout) : std::nullopt)) << view.array.layout().to_string();
  if (!aliases) reference::fill(buffer.image, view.model, element);
  EXPECT_TRUE(is_intact(buffer)) << view.array.layout().to_string();
}

TYPED_TEST(WriteProperty, FillOnDevice) {
  for_each_case(200, fill_case<NDArray, TypeParam>);
}
TYPED_TEST(WriteProperty, FillOnHost) {
  for_each_case(100, fill_case<HostArray, TypeParam>);
}
TYPED_TEST(WriteProperty, FillOfMappedMemory) {
  for_each_case(60, fill_case<MappedArray, TypeParam>);
}
TYPED_TEST(WriteProperty, FillOfManagedMemory) {
  for_each_case(60, fill_case<ManagedArray, TypeParam>);
}

// A window of `length` elements onto an axis, walked in any direction and step that fits.
Slice random_window(Random& random, index_t extent, index_t length) {
  if (length == 0) return slice(0, 0);
  index_t step = length == 1 ? 1 : random.between(1, std::min<index_t>(3, (extent - 1) / (length - 1)));
  const index_t first = random.between(0, extent - 1 - (length - 1) * step), last = first + (length - 1) * step;
  if (random.chance(60)) return slice(first, last + 1, step);
  step = -step;
  return first == 0 ? slice(last, none, step) : slice(last, first - 1, step);
}

template <template <class> class Array, class T>
using ViewPair = std::pair<View<Array, T>, View<Array, T>>;

// Two windows of one size onto one array, and perhaps a permutation between them: shifts, reversals, transpositions.
template <class T, template <class> class Array>
ViewPair<Array, T> two_windows(Random& random, const View<Array, T>& whole) {
  std::vector<Slice> to, from;
  for (const index_t extent : whole.model.shape) {
    const index_t length =
        random.chance(60) ? std::max<index_t>(0, extent - random.below(3)) : random.between(0, extent);
    to.push_back(random_window(random, extent, length));
    from.push_back(random_window(random, extent, length));
  }
  return {{view_slices(whole.array, to), reference::index(whole.model, {to.begin(), to.end()})},
          {view_slices(whole.array, from), reference::index(whole.model, {from.begin(), from.end()})}};
}

template <class T, template <class> class Array>
ViewPair<Array, T> two_permutations(Random& random, const View<Array, T>& cube) {
  const List to = random.permutation(cube.model.ndim()), from = random.permutation(cube.model.ndim());
  return {{cube.array.permute(to), reference::permute(cube.model, to)},
          {cube.array.permute(from), reference::permute(cube.model, from)}};
}

template <template <class> class Array, class T>
void overlap_case(Random& random) {
  const index_t kind = random.below(3), item = sizeof(T);
  Buffer<Array> buffer;
  ViewPair<Array, T> views;
  if (kind == 0) {  // two unrelated sets of strides
    const Strided to = random_strided(random, random_shape(random, 4, 100), item, Aliasing::never);
    const Strided from = random_strided(random, random_broadcastable(random, to.shape), item, Aliasing::allowed);
    buffer = random_buffer<Array>(random, std::max(to.span(), from.span()) + random.between(1, 20));
    views = {place<T>(random, buffer, to), place<T>(random, buffer, from)};
  } else {
    const List shape = kind == 1 ? random_shape(random, 4, 150)
                                 : List(static_cast<std::size_t>(random.between(1, 3)), random.between(1, 5));
    const Strided strided = random_strided(random, shape, item, Aliasing::never);
    buffer = random_buffer<Array>(random, strided.span() + random.between(1, 20));
    const auto whole = place<T>(random, buffer, strided);
    views = kind == 1 ? two_windows<T>(random, whole) : two_permutations<T>(random, whole);
  }
  const auto& [to, from] = views;
  reference::copy(buffer.image, to.model, buffer.image, reference::match_broadcast(from.model, to.model.shape));
  if constexpr (!std::is_same_v<Array<T>, HostArray<T>>) {
    const Stream stream = random_stream(random);
    if (kind != 0 && random.chance(50)) {
      to.array.copy_to_device(from.array, stream).wait();
    } else {
      to.array.assign(from.array, stream).wait();
    }
  } else {
    to.array.assign(from.array);
  }
  EXPECT_TRUE(is_intact(buffer)) << "kind " << kind << ", from " << from.array.layout().to_string() << " to "
                                 << to.array.layout().to_string();
}

TYPED_TEST(WriteProperty, OverlappingAssignOnDevice) {
  for_each_case(500, overlap_case<NDArray, TypeParam>);
}
TYPED_TEST(WriteProperty, OverlappingAssignOnHost) {
  for_each_case(250, overlap_case<HostArray, TypeParam>);
}
TYPED_TEST(WriteProperty, OverlappingAssignInMappedMemory) {
  for_each_case(100, overlap_case<MappedArray, TypeParam>);
}
TYPED_TEST(WriteProperty, OverlappingAssignInManagedMemory) {
  for_each_case(100, overlap_case<ManagedArray, TypeParam>);
}

// Many calls on one stream and a single look at the end. Nothing waits in between but what a user must wait for.
template <class T>
void program_case(Random& random) {
  const index_t item = sizeof(T), bytes = 60 * item + random.between(0, 200);
  DeviceBuffer device = device_buffer(random, bytes);
  HostBuffer host = host_buffer(random, bytes);
  const Stream stream(ferry::test::device(), {.non_blocking = random.chance(30)});
  const auto strided = [&](const List& shape, Aliasing aliasing) {
    Strided result = random_strided(random, shape, item, aliasing);
    while (result.span() > bytes) {  // dense always fits
      List strides(shape.size());
      index_t stride = item;
      for (std::size_t axis = shape.size(); axis-- > 0; stride *= std::max<index_t>(shape[axis], 1))
        strides[axis] = stride;
      result = {shape, strides, 0, reference::count(shape) * item};
    }
    return result;
  };
  for (index_t calls = random.between(2, 12); calls > 0; --calls) {
    const List shape = random_shape(random, 4, 60);
    const auto on_device = place<T>(random, device, strided(shape, Aliasing::never));
    const auto on_host = place<T>(random, host, strided(shape, Aliasing::never));
    switch (random.below(5)) {
      case 0:
        reference::copy(device.image, on_device.model, host.image, on_host.model);
        on_device.array.copy_to_device(on_host.array, stream);
        break;
      case 1:
        reference::copy(host.image, on_host.model, device.image, on_device.model);
        on_device.array.copy_to_host(on_host.array, stream);
        break;
      case 2: {
        const auto from = place<T>(random, device, strided(random_broadcastable(random, shape), Aliasing::allowed));
        reference::copy(device.image, on_device.model, device.image,
                        reference::match_broadcast(from.model, on_device.model.shape));
        on_device.array.assign(from.array, stream);
        break;
      }
      case 3: {
        const Bytes element = random.bytes(sizeof(T));
        reference::fill(device.image, on_device.model, element);
        on_device.array.fill(value_of<T>(element), stream);
        break;
      }
      default:  // without a name for the stream, which the array knows
        reference::copy(device.image, on_device.model, host.image, on_host.model);
        on_device.array.bind(stream).copy_to_device(on_host.array);
    }
  }
  stream.synchronize();
  EXPECT_TRUE(is_intact(device));
  EXPECT_TRUE(is_intact(host));
}

TYPED_TEST(WriteProperty, ProgramsOnOneStream) {
  for_each_case(150, program_case<TypeParam>);
}

// One member of every record, copied in and out, assigned and filled: the other members keep their bytes.
template <class M, class FieldOf>
void member_case(Random& random, index_t offset, const List& extents, const FieldOf& field_of) {
  const Strided strided = random_strided(random, random_shape(random, 3, 60), sizeof(Packed), Aliasing::never);
  DeviceBuffer device = device_buffer(random, strided.span() + random.between(1, 40));
  const auto records = place<Packed>(random, device, strided);
  const auto member = field_of(records.array);
  const ReferenceArray model = reference::field(records.model, offset, sizeof(M), extents);
  ASSERT_EQ(to_list(member.shape()), model.shape);
  const Strided other = random_strided(random, model.shape, sizeof(M), Aliasing::never);
  HostBuffer host = host_buffer(random, other.span() + random.between(1, 40));
  const auto values = place<M>(random, host, other);
  const Stream stream = random_stream(random);
  switch (random.below(4)) {
    case 0:
      reference::copy(device.image, model, host.image, values.model);
      member.copy_to_device(values.array);
      break;
    case 1:
      reference::copy(host.image, values.model, device.image, model);
      member.copy_to_host(values.array);
      break;
    case 2: {
      const Bytes element = random.bytes(sizeof(M));
      reference::fill(device.image, model, element);
      member.fill(value_of<M>(element), stream);
      break;
    }
    default: {
      const auto reversed = model.ndim() == 0 ? member : member.flip(0);
      const ReferenceArray source = model.ndim() == 0 ? model : reference::flip(model, 0);
      reference::copy(device.image, model, device.image, source);
      member.assign(reversed, stream);
    }
  }
  if (stream) stream.synchronize();
  expect_fresh(member.copy(Order::C), model, device.image, Order::C);
  EXPECT_TRUE(is_intact(device));
  EXPECT_TRUE(is_intact(host));
}

TEST(MemberProperty, OfPackedRecords) {
  for_each_case(2'000, [](Random& random) {
    switch (random.below(6)) {
      case 0:
        return member_case<std::uint8_t>(random, 0, {}, [](const auto& r) { return r.field(&Packed::tag); });
      case 1:
        return member_case<double>(random, 1, {}, [](const auto& r) { return r.field(&Packed::x); });
      case 2:
        return member_case<std::int16_t>(random, 9, {}, [](const auto& r) { return r.field(&Packed::id); });
      case 3:
        return member_case<float>(random, 11, {2}, [](const auto& r) { return r.field(&Packed::uv); });
      case 4:
        return member_case<std::uint8_t>(random, 19, {3}, [](const auto& r) { return r.field(&Packed::flags); });
      default:
        return member_case<double>(random, 1, {}, [](const auto& r) { return r.template field<double>("x"); });
    }
  });
}

}  // namespace
}  // namespace ferry::test
