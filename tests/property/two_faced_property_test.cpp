// Mapped and managed memory: copies between arrays of all kinds, through every face and call, of one memory too; and
// the scopes that map memory of the host.
#include "support/random_buffer.hpp"
#include "support/sample_types.hpp"

namespace ferry::test {
namespace {

template <class T>
class TwoFacedProperty : public ::testing::Test {};
TYPED_TEST_SUITE(TwoFacedProperty, SampleTypes, SampleNames);

// Hands f the array itself, or one of its faces.
template <class A, class F>
void by_some_face(Random& random, const A& array, const F& f) {
  if constexpr (detail::is_two_faced<A>) {
    const index_t face = random.below(3);
    if (face == 0) return f(array.host());
    if (face == 1) return f(array.device());
  }
  f(array);
}

template <class A>
inline constexpr bool is_host_array = false;
template <class T>
inline constexpr bool is_host_array<HostArray<T>> = true;

// One of the calls that copy `from` into `to`, complete on return. With `broadcast` it is assign.
template <class To, class From>
void copy_somehow(Random& random, const To& to, const From& from, bool broadcast, const Stream& stream) {
  constexpr bool to_host = is_host_array<To>, from_host = is_host_array<From>;
  if constexpr (to_host && from_host) {
    if (broadcast) return to.assign(from);
    to_device(from, {.device = device()}).copy_to_host(to);
  } else if constexpr (to_host) {
    if (broadcast) return to.assign(from.copy_to_host());
    if (!stream) return static_cast<void>(from.copy_to_host(to));
    from.copy_to_host(to, stream).wait();
  } else if (broadcast) {
    if (!stream) return static_cast<void>(to.assign(from));
    to.assign(from, stream).wait();
  } else {
    if constexpr (!from_host && detail::is_two_faced<To>) {
      if (random.chance(50)) return static_cast<void>(from.copy_to_host(to));
    }
    if (!stream) return static_cast<void>(to.copy_to_device(from));
    to.copy_to_device(from, stream).wait();
  }
}

template <template <class> class To, template <class> class From, class T>
void copy_case(Random& random) {
  const index_t item = sizeof(T);
  const bool broadcast = random.chance(40);
  const Strided to = random_strided(random, random_shape(random, 4, 100), item, Aliasing::never);
  auto to_buffer = random_buffer<To>(random, to.span() + random.between(1, 40));
  auto target = place<T>(random, to_buffer, to);
  for (index_t steps = random.below(3); steps > 0; --steps) target = random_view(random, target);
  const List shape =
      broadcast ? random_broadcastable(random, target.model.shape) : random_unit_axes(random, target.model.shape);
  const Strided from = random_strided(random, shape, item, Aliasing::allowed);
  auto from_buffer = random_buffer<From>(random, from.span() + random.between(1, 40));
  const auto source = place<T>(random, from_buffer, from);
  if (target.model.aliases_itself()) return;
  const Stream stream = random_stream(random);
  reference::copy(to_buffer.image, target.model, from_buffer.image,
                  broadcast ? reference::match_broadcast(source.model, target.model.shape)
                            : reference::match_equal(source.model, target.model.shape));
  by_some_face(random, target.array, [&](const auto& to_face) {
    by_some_face(random, source.array,
                 [&](const auto& from_face) { copy_somehow(random, to_face, from_face, broadcast, stream); });
  });
  EXPECT_TRUE(is_intact(to_buffer)) << target.array.layout().to_string();
  EXPECT_TRUE(is_intact(from_buffer)) << source.array.layout().to_string();
}

TYPED_TEST(TwoFacedProperty, BetweenArraysOfAllKinds) {
  for_each_case(400, [](Random& random) {
    switch (random.below(10)) {
      case 0:
        return copy_case<MappedArray, HostArray, TypeParam>(random);
      case 1:
        return copy_case<MappedArray, NDArray, TypeParam>(random);
      case 2:
        return copy_case<MappedArray, MappedArray, TypeParam>(random);
      case 3:
        return copy_case<MappedArray, ManagedArray, TypeParam>(random);
      case 4:
        return copy_case<HostArray, MappedArray, TypeParam>(random);
      case 5:
        return copy_case<NDArray, MappedArray, TypeParam>(random);
      case 6:
        return copy_case<ManagedArray, MappedArray, TypeParam>(random);
      case 7:
        return copy_case<ManagedArray, HostArray, TypeParam>(random);
      case 8:
        return copy_case<ManagedArray, NDArray, TypeParam>(random);
      default:
        return copy_case<HostArray, ManagedArray, TypeParam>(random);
    }
  });
}

// Both sides in one memory, each through a face of its own.
template <template <class> class Array, class T>
void overlap_case(Random& random) {
  const index_t item = sizeof(T);
  const Strided to = random_strided(random, random_shape(random, 4, 100), item, Aliasing::never);
  const Strided from = random_strided(random, random_broadcastable(random, to.shape), item, Aliasing::allowed);
  auto buffer = random_buffer<Array>(random, std::max(to.span(), from.span()) + random.between(1, 20));
  const auto target = place<T>(random, buffer, to), source = place<T>(random, buffer, from);
  const Stream stream = random_stream(random);
  reference::copy(buffer.image, target.model, buffer.image,
                  reference::match_broadcast(source.model, target.model.shape));
  EXPECT_EQ(shares_memory(target.array.host(), source.array.device()), target.model.shares_a_byte_with(source.model));
  by_some_face(random, target.array, [&](const auto& to_face) {
    by_some_face(random, source.array,
                 [&](const auto& from_face) { copy_somehow(random, to_face, from_face, true, stream); });
  });
  EXPECT_TRUE(is_intact(buffer)) << "from " << source.array.layout().to_string() << " to "
                                 << target.array.layout().to_string();
}

TYPED_TEST(TwoFacedProperty, OverlapThroughFaces) {
  for_each_case(250, [](Random& random) {
    random.chance(50) ? overlap_case<MappedArray, TypeParam>(random) : overlap_case<ManagedArray, TypeParam>(random);
  });
}

// Calls on one stream, and host accesses in between that nothing but host() orders with them.
template <template <class> class Array, class T>
void program_case(Random& random) {
  const index_t item = sizeof(T), bytes = 60 * item + random.between(0, 200);
  auto buffer = random_buffer<Array>(random, bytes);
  DeviceBuffer other = device_buffer(random, bytes);
  const Stream stream(device(), {.non_blocking = random.chance(50)});
  const auto somewhere = [&] {
    for (;;) {
      const Strided strided = random_strided(random, random_shape(random, 3, 40), item, Aliasing::never);
      if (strided.span() <= bytes) return strided;
    }
  };
  for (index_t calls = random.between(2, 10); calls > 0; --calls) {
    const Strided strided = somewhere();
    const auto here = place<T>(random, buffer, strided);
    const auto there = place<T>(random, other, strided);
    const Bytes element = random.bytes(sizeof(T));
    switch (random.below(5)) {
      case 0:
        reference::fill(buffer.image, here.model, element);
        here.array.fill(value_of<T>(element), stream);
        break;
      case 1:
        reference::fill(buffer.image, here.model, element);
        here.array.host().fill(value_of<T>(element));
        break;
      case 2:
        reference::copy(buffer.image, here.model, other.image, there.model);
        here.array.copy_to_device(there.array, stream);
        break;
      case 3:
        reference::copy(other.image, there.model, buffer.image, here.model);
        there.array.copy_to_device(here.array, stream);
        break;
      default:
        reference::fill(buffer.image, here.model, element);
        here.array.device().bind(stream).fill(value_of<T>(element));
    }
  }
  EXPECT_TRUE(is_intact(buffer));
  stream.synchronize();
  EXPECT_TRUE(is_intact(other));
}

TYPED_TEST(TwoFacedProperty, ProgramsWithHostAccess) {
  for_each_case(100, [](Random& random) {
    random.chance(50) ? program_case<MappedArray, TypeParam>(random) : program_case<ManagedArray, TypeParam>(random);
  });
}

// A scope over views of host memory of any strides, in the midst of other scopes over the same memory: the device works
// on them on any streams, and after the end the host sees all of it.
TYPED_TEST(TwoFacedProperty, MappedScopes) {
  using T = TypeParam;
  for_each_case(150, [](Random& random) {
    const index_t item = sizeof(T), bytes = 60 * item + random.between(0, 200);
    HostBuffer buffer{host_array<unsigned char>({bytes}), random.bytes(static_cast<std::size_t>(bytes))};
    std::memcpy(buffer.root.data(), buffer.image.data(), buffer.image.size());
    const auto somewhere = [&] {
      for (;;) {
        const Strided strided = random_strided(random, random_shape(random, 3, 40), item, Aliasing::never);
        if (strided.span() <= bytes) return place<T>(random, buffer, strided);
      }
    };
    std::vector<PinnedScope> others;
    const ScopeOptions options{.device = device()};
    for (index_t n = random.below(4); n > 0; --n) others.push_back(pinned(options, somewhere().array));
    const auto a = somewhere(), b = somewhere();
    const Stream stream(device(), {.non_blocking = random.chance(50)});
    {
      const auto [x, y] = mapped(options, a.array, b.array);
      ASSERT_TRUE(x.layout() == a.array.layout());
      for (index_t calls = random.between(1, 6); calls > 0; --calls) {
        if (random.chance(30) && !others.empty()) others.pop_back();
        if (random.chance(20)) others.push_back(pinned(options, somewhere().array));
        const bool first = random.chance(50);
        const Bytes element = random.bytes(sizeof(T));
        reference::fill(buffer.image, (first ? a : b).model, element);
        (first ? x : y).fill(value_of<T>(element), stream);
      }
    }
    EXPECT_TRUE(is_intact(buffer));
    others.clear();
    for (index_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(device().space().query(buffer.root.data() + i).kind, MemoryKind::pageable) << i;
    }
  });
}

}  // namespace
}  // namespace ferry::test
