// The scopes pinned(…) and mapped(…).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ferry/ferry.hpp"
#include "ferry/sim.hpp"
#include "support/error_code.hpp"
#include "support/shifted_space.hpp"
#include "support/stream_loops.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

using Floats = std::vector<float>;

bool is_locked(const void* address) {
  return device().space().query(address).kind != MemoryKind::pageable;
}
template <class T>
bool is_locked(const T* first, index_t begin, index_t end) {
  for (index_t i = begin; i < end; ++i) {
    if (!is_locked(first + i)) return false;
  }
  return true;
}
template <class T>
bool is_free(const T* first, index_t begin, index_t end) {
  for (index_t i = begin; i < end; ++i) {
    if (is_locked(first + i)) return false;
  }
  return true;
}

ScopeOptions here() {
  return {.device = device()};
}

TEST(PinnedScope, LocksUntilItsEnd) {
  Floats a(100), b(100);
  float c[3][4] = {};
  const auto d = host_array<float>({10});
  {
    const auto guard = pinned(here(), a, b, c, d, std::span(b).first(3));
    EXPECT_TRUE(is_locked(a.data(), 0, 100));
    EXPECT_TRUE(is_locked(b.data(), 0, 100));
    EXPECT_TRUE(is_locked(&c[0][0], 0, 12));
    EXPECT_TRUE(is_locked(d.data(), 0, 10));
  }
  EXPECT_TRUE(is_free(a.data(), 0, 100));
  EXPECT_TRUE(is_free(b.data(), 0, 100));
  EXPECT_TRUE(is_free(&c[0][0], 0, 12));
  EXPECT_TRUE(is_free(d.data(), 0, 10));
}

TEST(PinnedScope, MakesTransfersAsynchronous) {
  Floats a(1000, 1.0F);
  const auto on_device = device_array<float>({1000}, {.device = device()});
  const Stream stream(device());
  EXPECT_FALSE(on_device.copy_to_device(a, stream).is_async());
  {
    const auto guard = pinned(here(), a);
    EXPECT_EQ(on_device.copy_to_device(a, stream).is_async(), device_name() != "host");
    on_device.fill(3.0F, stream);
    on_device.copy_to_host(a, stream);
  }
  EXPECT_EQ(a[999], 3.0F) << "the end waits for transfers that are under way";
  EXPECT_FALSE(on_device.copy_to_device(a, stream).is_async());
}

// Transfers of other views of the memory count too, and memory told of with used_on.
TEST(PinnedScope, NothingIsUnlockedWhileATransferIsUnderWay) {
  ShiftedSpace& space = ShiftedSpace::make();
  Floats a(10);
  const auto on_device = device_array<float>({10}, {.device = Device(space)});
  for (int i = 0; i < 3; ++i) {
    const Stream stream{Device(space)};
    const auto guard = pinned({.device = Device(space)}, a);
    if (i == 0) on_device.copy_to_device(a, stream);
    if (i == 1) on_device(slice(3)).copy_to_host(host_view(a.data() + 4, {3}), stream);
    if (i == 2) {
      space.copy(a.data(), on_device.data(), 4, stream.native());
      host_view(a.data(), {1}).used_on(stream);
    }
  }
  EXPECT_EQ(space.unregistered, 3);
  EXPECT_FALSE(space.was_busy);
}

TEST(PinnedScope, Nests) {
  Floats a(100);
  const auto outer = pinned(here(), a);
  {
    const auto inner = pinned(here(), a);
    const auto innermost = pinned(here(), std::span(a).subspan(10, 5));
  }
  EXPECT_TRUE(is_locked(a.data(), 0, 100));
}

TEST(PinnedScope, TheSameArrayTwice) {
  Floats a(10);
  {
    const auto guard = pinned(here(), a, a, std::span(a).last(2));
    EXPECT_TRUE(is_locked(a.data(), 0, 10));
  }
  EXPECT_TRUE(is_free(a.data(), 0, 10));
}

// Scopes need not end in the reverse order of their beginning.
TEST(PinnedScope, PartialOverlapInEveryOrder) {
  Floats a(100);
  const std::span<float> all(a);
  const std::array ranges{std::pair{10, 40}, std::pair{30, 60}, std::pair{0, 100}, std::pair{55, 60}};
  std::array<int, 4> order{0, 1, 2, 3};
  do {
    for (int last = 0; last < 4; ++last) {
      std::array<std::optional<PinnedScope>, 4> scopes;
      for (const int i : order) {
        const auto [begin, end] = ranges[static_cast<std::size_t>(i)];
        scopes[static_cast<std::size_t>(i)] =
            pinned(here(), all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
      }
      EXPECT_TRUE(is_locked(a.data(), 0, 100));
      for (int i = 0; i < 4; ++i) {
        if (i != last) scopes[static_cast<std::size_t>(i)].reset();
      }
      const auto [begin, end] = ranges[static_cast<std::size_t>(last)];
      EXPECT_TRUE(is_locked(a.data(), begin, end)) << "scope " << last;
      scopes[static_cast<std::size_t>(last)].reset();
      EXPECT_TRUE(is_free(a.data(), 0, 100));
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(PinnedScope, C059_NeighboursOnOnePage) {
  alignas(4096) static std::byte page[4096];
  const std::span<std::byte> all(page);
  for (const bool first_ends_first : {true, false}) {
    std::optional<PinnedScope> first = pinned(here(), all.subspan(64, 80));
    std::optional<PinnedScope> second = pinned(here(), all.subspan(256, 20));
    EXPECT_TRUE(is_locked(page, 64, 144));
    EXPECT_TRUE(is_free(page, 144, 256));
    const auto on_device = zeros<std::byte>({80}, {.device = device()});
    on_device.copy_to_device(all.subspan(64, 80));
    on_device(slice(20)).copy_to_device(all.subspan(256, 20));
    (first_ends_first ? first : second).reset();
    EXPECT_EQ(is_free(page, 64, 144), first_ends_first);
    EXPECT_EQ(is_free(page, 256, 276), !first_ends_first);
    (first_ends_first ? second : first).reset();
    EXPECT_TRUE(is_free(page, 0, 4096));
  }
}

TEST(PinnedScope, StridedAndReversedArrays) {
  const auto a = host_array<float>({10, 10});
  const float* const data = a.data();
  {
    const auto guard = pinned(here(), a(slice(2, 4), slice(5, none)));  // rows 2 and 3, from column 5 on
    EXPECT_TRUE(is_locked(data, 25, 40));
    EXPECT_TRUE(is_free(data, 0, 25));
    EXPECT_TRUE(is_free(data, 40, 100));
  }
  {
    const auto guard = pinned(here(), a.ravel()(slice(59, 19, -3)));  // element 0 is the highest: 59, …, 20
    EXPECT_TRUE(is_locked(data, 20, 60));
    EXPECT_TRUE(is_free(data, 0, 20));
    EXPECT_TRUE(is_free(data, 60, 100));
  }
  {
    const auto guard = pinned(here(), a(3, slice(0, 1)).broadcast_to({1000}));
    EXPECT_TRUE(is_locked(data, 30, 31));
    EXPECT_TRUE(is_free(data, 31, 100));
  }
  EXPECT_TRUE(is_free(data, 0, 100));
}

TEST(PinnedScope, C063_ATransposedArrayKeepsItsOrder) {
  const auto a = arange<float>(25).reshape(5, 5).transpose();
  const auto guard = pinned(here(), a);
  EXPECT_EQ(to_device(a, {.device = device()}).copy_to_host()(0, ellipsis), arange<float>(25)(slice(none, none, 5)));
}

TEST(PinnedScope, MemoryThatIsPageLockedIsLeftAlone) {
  const auto locked = pinned_array<float>({10}, {.device = device()});
  const auto mapped_memory = mapped_array<float>({10}, {.device = device()});
  Floats foreign(10);
  device().space().register_host(foreign.data(), 40, {});
  { const auto guard = pinned(here(), locked, locked(slice(2, 5)), mapped_memory, mapped_memory.host(), foreign); }
  EXPECT_TRUE(is_locked(locked.data(), 0, 10));
  EXPECT_TRUE(is_locked(foreign.data(), 0, 10));
  device().space().unregister_host(foreign.data());
  EXPECT_TRUE(is_free(foreign.data(), 0, 10));
}

TEST(PinnedScope, C061_AForeignRegistrationInTheWayIsATypedErrorAndChangesNothing) {
  Floats a(10), foreign(10);
  device().space().register_host(foreign.data() + 4, 8, {});
  EXPECT_EQ(error_code([&] { static_cast<void>(pinned(here(), a, foreign)); }), 712);
  EXPECT_TRUE(is_free(a.data(), 0, 10)) << "all or none";
  EXPECT_TRUE(is_locked(foreign.data(), 4, 6));
  device().space().unregister_host(foreign.data() + 4);
  { const auto guard = pinned(here(), a, foreign); }
}

TEST(PinnedScope, KeepsMemoryOfFerrys) {
  auto a = host_array<float>({10});
  float* const data = a.data();
  auto guard = pinned(here(), a);
  a = host_array<float>({1});
  EXPECT_TRUE(is_locked(data, 0, 10));
  guard.end();
  guard.end();
}

TEST(PinnedScope, Moves) {
  Floats a(10), b(10);
  auto first = pinned(here(), a);
  auto second = std::move(first);
  EXPECT_TRUE(is_locked(a.data(), 0, 10));
  first = pinned(here(), b);
  second = std::move(first);
  EXPECT_TRUE(is_free(a.data(), 0, 10));
  EXPECT_TRUE(is_locked(b.data(), 0, 10));
  first.end();
  EXPECT_TRUE(is_locked(b.data(), 0, 10));
}

TEST(PinnedScope, C070_NothingToLock) {
  Floats none_at_all;
  ShiftedSpace& space = ShiftedSpace::make();
  {
    const auto guard = pinned({.device = Device(space)}, none_at_all, host_array<float>({0, 3}));
    const auto [view] = mapped({.device = Device(space)}, none_at_all);
    EXPECT_EQ(view.data(), nullptr);
    EXPECT_TRUE(view.empty());
  }
  { const auto guard = pinned(here()); }
  EXPECT_EQ(space.registered, 0);
  EXPECT_EQ(space.unregistered, 0);
}

TEST(PinnedScope, AnExceptionHalfWayUndoesAll) {
  ShiftedSpace& space = ShiftedSpace::make();
  const ScopeOptions options{.device = Device(space)};
  Floats a(10), b(10), c(10);
  const auto outer = pinned(options, std::span(b).subspan(3, 4));  // its pieces count users on the way out
  for (int n = 1; n <= 4; ++n) {                                   // a; b before and behind the piece above; c
    const int registered = space.registered - space.unregistered;
    space.refuse_at = space.registered + n;
    EXPECT_EQ(error_code([&] { static_cast<void>(pinned(options, a, b, c)); }), 2) << n;
    EXPECT_EQ(space.registered - space.unregistered, registered + 1) << "the refused one is counted too";
    space.registered -= 1;
    EXPECT_EQ(space.query(a.data()).base, nullptr);
    EXPECT_EQ(space.query(b.data()).base, nullptr);
    EXPECT_NE(space.query(b.data() + 3).base, nullptr);
    EXPECT_EQ(space.query(b.data() + 7).base, nullptr);
  }
  space.refuse_at = 0;
  { const auto guard = pinned(options, a, b, c); }
}

TEST(PinnedScope, ADeviceAndAStreamOfAnotherDisagree) {
  Floats a(1);
  const Stream stream(Device(device_name() == "host" ? "toy" : "host"));
  EXPECT_THROW(static_cast<void>(pinned({.stream = stream, .device = device()}, a)), AccessError);
}

TEST(PinnedScope, FromManyThreads) {
  Floats a(200, 1.0F);
  std::vector<std::thread> threads;
  std::atomic<int> unlocked{0};
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Stream stream(device());
      const auto on_device = device_array<float>({50}, {.stream = stream});
      for (std::size_t i = 0; i < 100; ++i) {
        const std::span<float> part = std::span(a).subspan((i * 7 + t * 50) % 150, 50);
        const auto guard = pinned(here(), part, part.first(10));
        if (!is_pinned(part, device())) ++unlocked;
        on_device.copy_to_device(part, stream);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(unlocked, 0);
  EXPECT_TRUE(is_free(a.data(), 0, 200));
}

TEST(MappedScope, GivesViewsForTheDevice) {
  Floats a(10, 1.0F);
  const auto b = arange<int>(6).reshape(2, 3).transpose();
  const Floats c(4, 2.0F);
  {
    const auto [x, y, z] = mapped(here(), a, b, c);
    static_assert(std::is_same_v<decltype(x), const NDArray<float>>);
    static_assert(std::is_same_v<decltype(z), const NDArray<const float>>);
    EXPECT_EQ(x.shape(), (Shape{10}));
    EXPECT_EQ(y.shape(), (Shape{3, 2}));
    EXPECT_EQ(y.strides(), (Strides{4, 12}));
    EXPECT_EQ(y.item(2, 1), 5);
    EXPECT_EQ(z.item(3), 2.0F);
    EXPECT_EQ(x.device(), device());
    EXPECT_EQ(x.memory_kind(), MemoryKind::mapped);
    EXPECT_EQ(x.data(), device().space().query(a.data()).device_pointer);
    x(slice(none, none, 2)).fill(5.0F);
    y.assign(y.copy().flip(0));
  }
  EXPECT_EQ(a, (Floats{5, 1, 5, 1, 5, 1, 5, 1, 5, 1}));
  EXPECT_EQ(b, (arange<int>(6).reshape(2, 3).transpose().flip(0)));
}

TEST(MappedScope, TheEndWaitsForKernelsAndTransfers) {
  Floats a(100), b(100);
  const auto held = pinned(here(), a, b);  // so that no page-lock ends, which would wait too
  const Stream stream(device(), {.non_blocking = true}), other(device(), {.non_blocking = true});
  {
    const auto [x, y] = mapped({.stream = stream}, a, b);
    EXPECT_EQ(x.stream(), stream);
    x.fill(1.0F, stream);
    add_on(stream, x.device_view<1>(), 2.0F);
    add_on(other, y.device_view<1>(), 4.0F);
    y.used_on(other);
    const bool runs_late = device_name() == "sim" && sim::schedule() == "lazy";
    EXPECT_TRUE(!runs_late || a[99] != 3.0F) << "nothing runs before somebody waits";
    x.used_on(stream);
  }
  EXPECT_EQ(a, Floats(100, 3.0F));
  EXPECT_EQ(b, Floats(100, 4.0F));
}

TEST(MappedScope, TheEndWaitsForTransfersOfTheHostArrayToo) {
  Floats a(100);
  const auto held = pinned(here(), a);
  const auto seven = full<float>({100}, 7.0F, {.device = device()});
  const Stream stream(device(), {.non_blocking = true});
  {
    const auto scope = mapped(here(), a);
    seven.copy_to_host(a, stream);
  }
  EXPECT_EQ(a, Floats(100, 7.0F));
}

TEST(MappedScope, ViewsDoNotOutliveIt) {
  Floats a(10, 1.0F);
  NDArray<float> view, part;
  Record<float> record{NDArray<float>(device_array<float>({}, {.device = device()}))};
  {
    const auto scope = mapped(here(), a);
    view = scope.get<0>();
    part = scope.get<0>()(slice(2, 4));
    record = view.record(0);
  }
  EXPECT_THROW(view.fill(2.0F), LifetimeError);
  EXPECT_THROW(view.copy_to_host(), LifetimeError);
  EXPECT_THROW(view.copy_to_device(Floats(10)), LifetimeError);
  EXPECT_THROW(view.copy(), LifetimeError);
  EXPECT_THROW(view.astype<int>(), LifetimeError);
  EXPECT_THROW(part.item(0), LifetimeError);
  EXPECT_THROW(part.data(), LifetimeError);
  EXPECT_THROW(part.transpose().contiguous_data(), LifetimeError);
  EXPECT_THROW(part(slice(1)).device_view<1>(), LifetimeError);
  EXPECT_THROW(part.used_on(device().default_stream()), LifetimeError);
  EXPECT_THROW(record.copy_to_host(), LifetimeError);
  EXPECT_THROW(device_array<float>({10}, {.device = device()}).assign(view), LifetimeError);
  EXPECT_EQ(view.shape(), (Shape{10})) << "a layout is no use of memory";
  EXPECT_EQ(a, Floats(10, 1.0F));
}

TEST(MappedScope, EndsEarlyAndMoves) {
  Floats a(10);
  auto scope = mapped(here(), a);
  auto moved = std::move(scope);
  moved.get<0>().fill(1.0F);
  const NDArray<float> view = moved.get<0>();
  moved.end();
  EXPECT_EQ(a, Floats(10, 1.0F));
  EXPECT_THROW(view.item(0), LifetimeError);
  EXPECT_TRUE(is_free(a.data(), 0, 10));
  moved.end();
  scope = mapped(here(), a);
  EXPECT_EQ(scope.get<0>().item(0), 1.0F);
}

TEST(MappedScope, NestsAndOverlaps) {
  Floats a(100);
  const std::span<float> all(a);
  const auto first = mapped(here(), all.subspan(10, 40));
  {
    const auto second = mapped(here(), all.subspan(30, 50));  // in two pieces
    second.get<0>().fill(2.0F);
    second.get<0>()(slice(none, none, 7)).assign(3.0F);
    first.get<0>().fill(1.0F);
    EXPECT_EQ(second.get<0>().item(19), 1.0F);
    EXPECT_EQ(second.get<0>().item(21), 3.0F);
    EXPECT_EQ(second.get<0>().copy().item(20), 2.0F);
  }
  EXPECT_EQ(first.get<0>().item(39), 1.0F);
  EXPECT_EQ(a[79], 3.0F);
}

TEST(MappedScope, OverlapOfViewAndArrayIsSeen) {
  const auto a = arange<int>(6);
  {
    const auto [x] = mapped(here(), a);
    x(slice(1, none)).copy_to_device(a(slice(none, 5)));
  }
  const int expected[] = {0, 0, 1, 2, 3, 4};
  EXPECT_EQ(a, host_view(expected, {6}).copy());
}

// The fake device's addresses of mapped memory are the host's + 2^40, and its kernels refuse the host's.
TEST(MappedScope, C072_KernelsAreGivenTheDevicesAddress) {
  ShiftedSpace& space = ShiftedSpace::make();
  const Device shifted(space);
  Floats a(10, 1.0F);
  {
    const auto [x] = mapped({.device = shifted}, a);
    EXPECT_EQ(x.data(), reinterpret_cast<float*>(reinterpret_cast<std::byte*>(a.data()) + ShiftedSpace::shift));
    EXPECT_EQ(x(slice(2, none)).device_view<1>().data(), x.data() + 2);
    x(slice(none, none, 2)).fill(2.0F);
    EXPECT_EQ(x.item(2), 2.0F);
    EXPECT_EQ(a[2], 2.0F);
    EXPECT_EQ(x.flip(0).copy().item(1), 2.0F);
    x(slice(1, none)).copy_to_device(std::span(a).first(9));
  }
  EXPECT_EQ(a, (Floats{2, 2, 1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(space.registered, 1);
  EXPECT_EQ(space.unregistered, 1);
}

TEST(MappedScope, C072_MappedArraysHaveTheDevicesAddressToo) {
  const auto array = mapped_array<int>({2, 3}, {.device = Device(ShiftedSpace::make())});
  const auto* const host = reinterpret_cast<const std::byte*>(array.host().data());
  EXPECT_EQ(reinterpret_cast<const std::byte*>(array.device().data()), host + ShiftedSpace::shift);
  array.fill(3);
  array(slice(), slice(none, none, 2)).assign(arange<int>(2));
  EXPECT_EQ(array.host()(1, 2), 1);
  array.transpose().flip(0).copy_to_device(array.copy().transpose());
  EXPECT_EQ(array.host()(0, 0), 1);
  EXPECT_EQ(array.astype<double>().item(1, 1), 3.0);
}

TEST(MappedScope, PinnedMemoryThatKernelsDoNotReachIsRefused) {
  const auto locked = pinned_array<float>({10}, {.device = device()});
  Floats a(10);
  if (device().space().query(locked.data()).device_pointer == nullptr) {
    EXPECT_THROW(static_cast<void>(mapped(here(), a, locked)), AccessError);
    EXPECT_TRUE(is_free(a.data(), 0, 10));
  } else {
    const auto scope = mapped(here(), a, locked);
    scope.get<1>().fill(1.0F);
  }
  const auto array = mapped_array<float>({10}, {.device = device()});
  {
    const auto [x, y] = mapped(here(), array, array.host()(slice(2)));
    x.fill(1.0F);
    y.fill(2.0F);
  }
  EXPECT_EQ(array.host()(1), 2.0F);
  EXPECT_EQ(array.host()(2), 1.0F);
}

int sunk = 0;

TEST(MappedScope, WhatADestructorCannotThrowGoesToTheSink) {
  if (!device().space().capabilities().runs_tasks || device_name() == "host") {
    GTEST_SKIP() << "kernels of this device cannot throw later than their launch";
  }
  Floats a(10);
  const Stream stream(device());
  const ErrorSink former = set_error_sink([](const char*) noexcept { ++sunk; });
  {
    const auto [x] = mapped({.stream = stream}, a);
    x.fill(1.0F, stream);
    launch(stream, [] { throw std::runtime_error("on purpose"); });
  }
  set_error_sink(former);
  EXPECT_EQ(sunk, 1);
  EXPECT_TRUE(is_free(a.data(), 0, 10));
}

TEST(MappedScope, FailedWorkComesOutOfEnd) {
  if (!device().space().capabilities().runs_tasks) GTEST_SKIP() << "kernels of this device cannot throw";
  Floats a(10);
  const Stream stream(device());
  auto scope = mapped({.stream = stream}, a);
  const NDArray<float> view = scope.get<0>();
  if (device_name() == "host") {
    scope.end();
  } else {
    launch(stream, [] { throw std::runtime_error("on purpose"); });
    view.fill(1.0F, stream);
    EXPECT_THROW(scope.end(), DeviceError);
  }
  EXPECT_TRUE(is_free(a.data(), 0, 10)) << "the scope has ended all the same";
  EXPECT_THROW(view.item(0), LifetimeError);
}

}  // namespace
}  // namespace ferry::test
