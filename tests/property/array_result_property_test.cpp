// Calls that make arrays, or views of them: copy, reshape, ravel, split, item, astype.
#include <cmath>
#include <limits>

#include "support/random_buffer.hpp"
#include "support/sample_types.hpp"

namespace ferry::test {
namespace {

const std::vector<Order> all_orders = {Order::C, Order::F, Order::A, Order::K};

template <class T>
class ResultProperty : public ::testing::Test {};
TYPED_TEST_SUITE(ResultProperty, SampleTypes, SampleNames);

template <template <class> class Array, class T>
struct Subject {
  Buffer<Array> buffer;
  View<Array, T> view;
};

template <template <class> class Array, class T>
Subject<Array, T> random_subject(Random& random) {
  const Strided strided = random_strided(random, random_shape(random, 5, 150), sizeof(T), Aliasing::allowed);
  Subject<Array, T> subject;
  subject.buffer = random_buffer<Array>(random, strided.span() + random.between(1, 40));
  subject.view = place<T>(random, subject.buffer, strided);
  for (index_t steps = random.below(3); steps > 0; --steps) subject.view = random_view(random, subject.view);
  return subject;
}

template <class A>
bool same_memory(const A& a, const A& b) {
  return a.handle().memory == b.handle().memory && a.handle().base == b.handle().base;
}

TYPED_TEST(ResultProperty, CopyOnDevice) {
  for_each_case(200, [](Random& random) {
    const auto subject = random_subject<NDArray, TypeParam>(random);
    const Order order = random.pick(all_orders);
    const Stream stream = random_stream(random);
    const auto copy = subject.view.array.copy(order, stream);
    if (stream) stream.synchronize();
    EXPECT_FALSE(same_memory(copy, subject.view.array));
    expect_fresh(copy, subject.view.model, subject.buffer.image, order);
    EXPECT_TRUE(is_intact(subject.buffer));
  });
}

TYPED_TEST(ResultProperty, CopyOnHost) {
  for_each_case(150, [](Random& random) {
    const auto subject = random_subject<HostArray, TypeParam>(random);
    const Order order = random.pick(all_orders);
    expect_fresh(subject.view.array.copy(order), subject.view.model, subject.buffer.image, order);
    EXPECT_TRUE(is_intact(subject.buffer));
  });
}

// The result of reshape or ravel: a view exactly when strides can express it and no copy was asked for, else dense in
// the order in which the elements were read.
template <class A>
void check_reshaped(const A& source, const ReferenceArray& model, const Bytes& image, const A& result,
                    const ReferenceArray& expected, Order read, Copy copy) {
  ASSERT_EQ(to_list(result.shape()), expected.shape);
  ReferenceArray found{expected.shape, expected.itemsize, {}};
  reference::walk(expected.shape, false,
                  [&](const List& index) { found.addresses.push_back(result.layout().at(index.data())); });
  if (copy != Copy::always && reference::has_strides(expected)) {
    EXPECT_TRUE(same_memory(result, source));
    EXPECT_EQ(found.addresses, expected.addresses);
    return;
  }
  EXPECT_FALSE(same_memory(result, source));
  EXPECT_EQ(fresh_bytes(result), in_order(image, model, read));
  EXPECT_TRUE(read == Order::F ? found.is_f_contiguous() : found.is_c_contiguous());
}

template <template <class> class Array, class T>
void reshape_case(Random& random) {
  const auto subject = random_subject<Array, T>(random);
  const auto& buffer = subject.buffer;
  const auto& view = subject.view;
  const Order order = random.pick(all_orders);
  const Copy copy = random.pick(std::vector{Copy::never, Copy::if_needed, Copy::always});
  List shape = random_reshape(random, view.model.shape);
  if (!shape.empty() && random.chance(30)) shape.front() = -1;
  if (random.chance(10)) shape.push_back(random.between(-2, 3));
  ReferenceArray expected;
  const std::optional<Fault> refusal = fault_of([&] {
    if (order == Order::K) throw Refusal{Fault::shape};
    expected = reference::reshape(view.model, reference::infer_shape(view.model, shape), order);
    if (copy == Copy::never && !reference::has_strides(expected)) throw Refusal{Fault::layout};
  });
  Array<T> result;
  const std::optional<Fault> found = fault_of([&] { result = view.array.reshape(shape, order, copy); });
  ASSERT_TRUE(found == refusal) << view.array.layout().to_string() << " to " << ::testing::PrintToString(shape);
  if (!refusal) {
    const bool fortran =
        order == Order::F || (order == Order::A && view.model.is_f_contiguous() && !view.model.is_c_contiguous());
    check_reshaped(view.array, view.model, buffer.image, result, expected, fortran ? Order::F : Order::C, copy);
  }
  EXPECT_TRUE(is_intact(buffer));
}

TYPED_TEST(ResultProperty, ReshapeOnDevice) {
  for_each_case(250, reshape_case<NDArray, TypeParam>);
}
TYPED_TEST(ResultProperty, ReshapeOnHost) {
  for_each_case(100, reshape_case<HostArray, TypeParam>);
}
TYPED_TEST(ResultProperty, ReshapeOfMappedMemory) {
  for_each_case(60, reshape_case<MappedArray, TypeParam>);
}
TYPED_TEST(ResultProperty, ReshapeOfManagedMemory) {
  for_each_case(60, reshape_case<ManagedArray, TypeParam>);
}

TYPED_TEST(ResultProperty, Ravel) {
  for_each_case(200, [](Random& random) {
    const auto subject = random_subject<NDArray, TypeParam>(random);
    const auto& buffer = subject.buffer;
    const auto& view = subject.view;
    const Order order = random.pick(all_orders);
    const Copy copy = random.pick(std::vector{Copy::never, Copy::if_needed, Copy::always});
    const ReferenceArray expected = reference::ravel(view.model, order);
    const bool refused = copy == Copy::never && !reference::has_strides(expected);
    NDArray<TypeParam> result;
    const std::optional<Fault> found = fault_of([&] { result = view.array.ravel(order, copy); });
    ASSERT_TRUE(found == (refused ? std::optional(Fault::layout) : std::nullopt)) << view.array.layout().to_string();
    // A vector is C- and F-contiguous alike, so that only the order of reading is left to check.
    if (!refused) {
      check_reshaped(view.array, expected, buffer.image, result, expected, Order::C, copy);
    }
    EXPECT_TRUE(is_intact(buffer));
  });
}

// Parts are views: what is written to one lands in the whole, and nowhere else.
TYPED_TEST(ResultProperty, SplitAndFillOnePart) {
  for_each_case(250, [](Random& random) {
    auto subject = random_subject<NDArray, TypeParam>(random);
    auto& buffer = subject.buffer;
    const auto& view = subject.view;
    if (view.model.ndim() == 0) return;
    const auto rank = static_cast<index_t>(view.model.ndim());
    const index_t axis = random.between(-rank, rank - 1), n = random.between(1, 4);
    std::vector<NDArray<TypeParam>> parts;
    std::vector<ReferenceArray> expected;
    switch (random.below(3)) {
      case 0:
        parts = view.array.split(n, axis);
        expected = reference::split(view.model, n, axis);
        break;
      case 1:
        parts = array_split(view.array, n, axis);
        expected = reference::array_split(view.model, n, axis);
        break;
      default: {
        List at(static_cast<std::size_t>(n));
        for (index_t& place : at) place = random_place(random, 7);
        parts = split_at(view.array, at, axis);
        expected = reference::split_at(view.model, at, axis);
      }
    }
    ASSERT_EQ(parts.size(), expected.size());
    if (parts.empty()) return;
    const auto which = static_cast<std::size_t>(random.below(static_cast<index_t>(parts.size())));
    const Bytes element = random.bytes(sizeof(TypeParam));
    const bool aliases = expected[which].aliases_itself();
    const std::optional<Fault> found = fault_of([&] { parts[which].fill(value_of<TypeParam>(element)); });
    EXPECT_TRUE(found == (aliases ? std::optional(Fault::layout) : std::nullopt));
    if (!aliases) reference::fill(buffer.image, expected[which], element);
    EXPECT_TRUE(is_intact(buffer));
  });
}

template <class T>
T item_of(const NDArray<T>& array, const List& index) {
  switch (index.size()) {
    case 0:
      return array.item();
    case 1:
      return array.item(index[0]);
    case 2:
      return array.item(index[0], index[1]);
    case 3:
      return array.item(index[0], index[1], index[2]);
    default:
      return array.view(index[0], ellipsis).item(index[1], index[2], index[3]);
  }
}

TYPED_TEST(ResultProperty, Item) {
  for_each_case(150, [](Random& random) {
    const auto subject = random_subject<NDArray, TypeParam>(random);
    const auto& buffer = subject.buffer;
    const auto& view = subject.view;
    if (view.model.ndim() > 4) return;
    List index, from_front;
    bool refused = false;
    for (const index_t extent : view.model.shape) {
      index.push_back(random.chance(4) || extent == 0 ? random_place(random, extent)
                                                      : random.between(-extent, extent - 1));
      refused = refused || index.back() < -extent || index.back() >= extent;
      from_front.push_back(index.back() < 0 ? index.back() + extent : index.back());
    }
    TypeParam value{};
    const std::optional<Fault> found = fault_of([&] { value = item_of(view.array, index); });
    ASSERT_TRUE(found == (refused ? std::optional(Fault::index) : std::nullopt)) << ::testing::PrintToString(index);
    if (refused) return;
    const ReferenceArray element{{}, sizeof(TypeParam), {view.model.at(from_front)}};
    Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    EXPECT_EQ(bytes, reference::gather(buffer.image, element));
  });
}

// NumPy's conversions, and where C++ leaves them undefined: out of range saturates, NaN becomes 0.
template <class To, class From>
To converted(From x) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(x)) return 0;
    const long double whole = std::trunc(static_cast<long double>(x));
    if (whole < static_cast<long double>(Limits::min())) return Limits::min();
    if (whole > static_cast<long double>(Limits::max())) return Limits::max();
    return static_cast<To>(whole);
  } else {
    return static_cast<To>(x);
  }
}
template <class To, class From>
To converted(const std::complex<From>& z) {
  if constexpr (detail::ComplexLike<To>) {
    return z;
  } else {
    return converted<To>(z.real());
  }
}

bool same_value(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}
template <class T>
bool same_value(const std::complex<T>& a, const std::complex<T>& b) {
  return same_value(a.real(), b.real()) && same_value(a.imag(), b.imag());
}

template <class To, class From, template <class> class Array>
void astype_case(Random& random) {
  const auto subject = random_subject<Array, From>(random);
  const auto& buffer = subject.buffer;
  const auto& view = subject.view;
  const Order order = random.pick(all_orders);
  const Array<To> result = view.array.template astype<To>(order);
  ASSERT_EQ(to_list(result.shape()), view.model.shape);
  const Bytes source = in_order(buffer.image, view.model, order), found = fresh_bytes(result);
  ASSERT_EQ(found.size() * sizeof(From), source.size() * sizeof(To));
  for (std::size_t i = 0; i < found.size() / sizeof(To); ++i) {
    From from;
    To to;
    std::memcpy(static_cast<void*>(&from), source.data() + i * sizeof from, sizeof from);
    std::memcpy(static_cast<void*>(&to), found.data() + i * sizeof to, sizeof to);
    // Every integer here fits a double, which also tells the sign of what saturated.
    if constexpr (detail::ComplexLike<To>) {
      ASSERT_TRUE(same_value(to, converted<To>(from))) << "element " << i;
    } else {
      ASSERT_TRUE(same_value(static_cast<double>(to), static_cast<double>(converted<To>(from)))) << "element " << i;
    }
  }
  EXPECT_TRUE(is_intact(buffer));
}

template <class From, template <class> class Array>
void astype_to_any(Random& random) {
  switch (random.below(6)) {
    case 0:
      return astype_case<std::uint8_t, From, Array>(random);
    case 1:
      return astype_case<std::int16_t, From, Array>(random);
    case 2:
      return astype_case<std::int32_t, From, Array>(random);
    case 3:
      return astype_case<float, From, Array>(random);
    case 4:
      return astype_case<double, From, Array>(random);
    default:
      return astype_case<std::complex<double>, From, Array>(random);
  }
}

template <template <class> class Array>
void astype_from_any(Random& random) {
  switch (random.below(5)) {
    case 0:
      return astype_to_any<std::uint8_t, Array>(random);
    case 1:
      return astype_to_any<std::int16_t, Array>(random);
    case 2:
      return astype_to_any<float, Array>(random);
    case 3:
      return astype_to_any<double, Array>(random);
    default:
      return astype_to_any<std::complex<double>, Array>(random);
  }
}

TEST(ConversionProperty, AstypeOnDevice) {
  for_each_case(1'500, astype_from_any<NDArray>);
}
TEST(ConversionProperty, AstypeOnHost) {
  for_each_case(800, astype_from_any<HostArray>);
}

}  // namespace
}  // namespace ferry::test
