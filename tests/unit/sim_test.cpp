// What the simulated device does beyond the contract: its schedules, its hostility, its faults. Other suites rely on it
// to find missing waits, so it is tested itself; what it says of wrong programs is tests/sim_corpus' affair.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ferry/backend/registry.hpp>
#include <ferry/backend/strided.hpp>
#include <ferry/error.hpp>
#include <ferry/ferry.hpp>
#include <ferry/sim.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/error_code.hpp"

namespace ferry::test {

namespace {

using backend::MemorySpace;
using backend::NativeEvent;
using backend::NativeStream;

class Sim : public ::testing::Test {
 protected:
  void SetUp() override {
    space.synchronize_device();
    sim::set_schedule("lazy");
  }
  void TearDown() override {
    space.synchronize_device();
    sim::set_schedule(schedule_);
    for (const NativeStream s : streams_) space.destroy_stream(s);
    for (const auto& [kind, address, bytes] : blocks_) space.deallocate(kind, address, bytes, nullptr);
    space.synchronize_device();
  }
  NativeStream stream(bool non_blocking) {
    streams_.push_back(space.create_stream({.non_blocking = non_blocking}));
    return streams_.back();
  }
  std::uint8_t* memory(MemoryKind kind, std::size_t bytes) {
    void* const address = space.allocate(kind, bytes, {}, nullptr);
    blocks_.push_back({kind, address, bytes});
    return static_cast<std::uint8_t*>(address);
  }
  void log_on(NativeStream on, int what) {
    space.run(Task([this, what] { log.push_back(what); }), on);
  }
  void fill(void* to, index_t bytes, std::uint8_t value, NativeStream on) {
    const auto pattern = static_cast<std::byte>(value);
    space.fill_strided({static_cast<std::byte*>(to), 1, {bytes}, {1}, &pattern}, on);
  }
  std::uint8_t first_byte(const void* from) {
    std::uint8_t value = 0;
    space.copy(&value, from, 1, nullptr);
    return value;
  }

  const Device device{"sim:0"};
  MemorySpace& space = device.space();
  std::vector<int> log;

 private:
  struct Block {
    MemoryKind kind;
    void* address;
    std::size_t bytes;
  };
  const std::string schedule_ = sim::schedule();
  std::vector<NativeStream> streams_;
  std::vector<Block> blocks_;
};
using SimDeathTest = Sim;

TEST_F(SimDeathTest, TheHostCannotTouchDeviceMemory) {
  volatile std::uint8_t* const memory_of_device = memory(MemoryKind::device, 100);
  EXPECT_DEATH(static_cast<void>(memory_of_device[0]), "the host reads byte 0 of .*device memory of sim:0, 100 bytes");
  EXPECT_DEATH(memory_of_device[7] = 1, "the host writes byte 7 of");
  std::uint8_t* const mapped = memory(MemoryKind::mapped, 100);
  volatile auto* const face = static_cast<volatile std::uint8_t*>(space.query(mapped).device_pointer);
  EXPECT_NE(mapped, face);
  EXPECT_DEATH(static_cast<void>(face[0]), "that is the device's address; the host has one of its own");
  space.run(Task([memory_of_device, face] {
              memory_of_device[0] = 7;
              face[0] = 7;
            }),
            nullptr);
  space.synchronize_stream(nullptr);
  EXPECT_EQ(mapped[0], 7);
  EXPECT_DEATH(memory_of_device[0] = 1, "the host writes") << "it is closed again after a kernel";
}

TEST_F(Sim, RunsOnlyWhatAWaitDependsOn) {
  const NativeStream a = stream(true), b = stream(true);
  log_on(a, 1);
  log_on(b, 2);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(sim::counts(device).pending, 2u);
  space.synchronize_stream(b);
  EXPECT_EQ(log, std::vector<int>{2}) << "nothing orders stream a before stream b";
  EXPECT_EQ(sim::counts(device).pending, 1u);
  space.synchronize_device();
  EXPECT_EQ(log, (std::vector<int>{2, 1}));
}

TEST_F(Sim, NonBlockingStreamsDoNotOrderWithTheLegacyStream) {
  const NativeStream free = stream(true), blocking = stream(false);
  log_on(nullptr, 1);
  log_on(free, 2);
  space.synchronize_stream(free);
  EXPECT_EQ(log, std::vector<int>{2});
  log_on(free, 3);
  log_on(nullptr, 4);
  space.synchronize_stream(nullptr);
  EXPECT_EQ(log, (std::vector<int>{2, 1, 4}));
  log_on(blocking, 5);  // behind the legacy stream, but the free one is still nobody's affair
  space.synchronize_stream(blocking);
  EXPECT_EQ(log, (std::vector<int>{2, 1, 4, 5}));
}

TEST_F(Sim, WorkBeforeARecordIsAllThatAnEventWaitsFor) {
  const NativeStream a = stream(true);
  const NativeEvent event = space.create_event(true), later = space.create_event(true);
  log_on(a, 1);
  space.record(event, a);
  log_on(a, 2);
  space.record(later, a);
  space.synchronize_event(event);
  EXPECT_EQ(log, std::vector<int>{1});
  EXPECT_EQ(error_code([&] { space.elapsed_ms(event, later); }), 600) << "not ready";
  space.destroy_event(event);
  space.synchronize_event(later);
  EXPECT_EQ(log, (std::vector<int>{1, 2}));
  space.destroy_event(later);
}

TEST_F(Sim, PollsInVainThreeTimes) {
  const NativeStream s = stream(true);
  const NativeEvent event = space.create_event(false);
  for (int round = 0; round < 2; ++round) {
    log_on(s, round);
    space.record(event, s);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(space.is_event_done(event));
    EXPECT_EQ(log.size(), static_cast<std::size_t>(round));
    EXPECT_TRUE(space.is_event_done(event));
    EXPECT_EQ(log.size(), static_cast<std::size_t>(round + 1));
  }
  log_on(s, 9);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(space.is_stream_done(s));
  EXPECT_TRUE(space.is_stream_done(s));
  space.destroy_event(event);
}

TEST_F(Sim, MemoryComesBackWhenItsStreamHasComeToIt) {
  const NativeStream s = stream(true);
  const std::size_t before = space.memory_info().free;
  void* const block = space.allocate(MemoryKind::device, 1000, {}, s);
  EXPECT_EQ(space.memory_info().free, before - 1024);
  EXPECT_EQ(first_byte(block), 0xCD) << "fresh memory is rubbish";
  log_on(s, 1);
  space.deallocate(MemoryKind::device, block, 1000, s);
  EXPECT_EQ(space.memory_info().free, before - 1024) << "still queued";
  space.synchronize_stream(s);
  EXPECT_EQ(space.memory_info().free, before);
  EXPECT_NE(memory(MemoryKind::device, 1000), block) << "an address comes back as late as possible";
}

TEST_F(Sim, RangesThatLeaveTheirAllocationAreRefused) {
  std::uint8_t* const block = memory(MemoryKind::device, 100);
  std::vector<std::uint8_t> host(1000, 1);
  const auto pattern = std::byte{};
  auto* const bytes = reinterpret_cast<std::byte*>(block);
  EXPECT_EQ(error_code([&] { space.copy(block, host.data(), 101, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.copy(host.data(), block + 1, 100, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.copy_pitched(block, 20, host.data(), 10, 10, 6, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.copy_pitched(block, 20, host.data(), 10, 10, 5, nullptr); }), 0);
  EXPECT_EQ(error_code([&] { space.copy_strided({bytes, bytes + 9, 1, {11}, {1}, {-1}}, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.copy_strided({bytes, bytes + 50, 1, {10}, {1}, {-1}}, nullptr); }), 0);
  EXPECT_EQ(error_code([&] { space.fill_strided({bytes + 96, 4, {2}, {4}, &pattern}, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.fill_strided({bytes + 96, 1, {4}, {1}, &pattern}, nullptr); }), 0);
  EXPECT_EQ(sim::counts(device).pending, 3u) << "what was refused was not queued";
}

TEST_F(Sim, KernelsDoNotReachAllMemory) {
  std::uint8_t *const own = memory(MemoryKind::device, 100), *const pinned = memory(MemoryKind::pinned, 100);
  std::uint8_t* const pageable = memory(MemoryKind::pageable, 100);
  MemorySpace& neighbour = backend::find_space("sim:1");
  void* const foreign = neighbour.allocate(MemoryKind::device, 100, {}, nullptr);
  std::array<std::uint8_t, 100> local{};
  for (void* const unreachable :
       {static_cast<void*>(pinned), static_cast<void*>(pageable), static_cast<void*>(local.data()), foreign}) {
    EXPECT_EQ(error_code([&] { fill(unreachable, 100, 1, nullptr); }), 1);
  }
  EXPECT_EQ(error_code([&] { space.copy(own, foreign, 100, nullptr); }), 1);
  EXPECT_EQ(space.query(pinned).device_pointer, nullptr);
  EXPECT_EQ(space.query(foreign).base, nullptr);
  neighbour.deallocate(MemoryKind::device, foreign, 100, nullptr);
  neighbour.synchronize_device();
}

TEST_F(Sim, ATaskMayNotWaitForItsDevice) {
  const NativeStream a = stream(true), b = stream(true);
  log_on(b, 1);
  space.run(Task([&] { space.synchronize_stream(b); }), a);
  EXPECT_EQ(error_code([&] { space.synchronize_stream(a); }), 800);
  space.synchronize_stream(b);
  EXPECT_EQ(log, std::vector<int>{1});
}

TEST_F(Sim, CountsWhatItWasAskedToDo) {
  const sim::Counts before = sim::counts(device);
  std::uint8_t* const block = memory(MemoryKind::device, 100);
  auto* const bytes = reinterpret_cast<std::byte*>(block);
  const std::vector<std::uint8_t> host(100, 1);
  space.copy(block, host.data(), 50, nullptr);
  space.copy_strided({bytes, bytes + 50, 1, {10}, {2}, {1}}, nullptr);
  fill(block, 100, 2, nullptr);
  space.convert_strided({bytes, bytes + 50, dtype_of<std::int16_t>(), dtype_of<std::int8_t>(), {5}, {2}, {1}}, nullptr);
  log_on(nullptr, 1);
  const sim::Counts after = sim::counts(device);
  EXPECT_EQ(after.copies - before.copies, 2u);
  EXPECT_EQ(after.fills - before.fills, 1u);
  EXPECT_EQ(after.conversions - before.conversions, 1u);
  EXPECT_EQ(after.kernels - before.kernels, 1u);
  EXPECT_EQ(after.allocations - before.allocations, 1u);
  EXPECT_EQ(after.pending, 5u);
}

TEST_F(Sim, HasTheMemoryItIsGiven) {
  const MemoryInfo info = space.memory_info();
  const std::size_t used = info.total - info.free, size = used + 10 * 256;
  EXPECT_EQ(sim::set_memory(device, size), info.total);
  EXPECT_EQ(space.memory_info().total, size);
  EXPECT_EQ(space.memory_info().free, 10u * 256);
  EXPECT_THROW(space.allocate(MemoryKind::device, 10 * 256 + 1, {}, nullptr), OutOfMemory);
  void* const all = space.allocate(MemoryKind::device, 10 * 256, {}, nullptr);
  EXPECT_THROW(space.allocate(MemoryKind::device, 1, {}, nullptr), OutOfMemory);
  space.deallocate(MemoryKind::device, all, 10 * 256, nullptr);
  EXPECT_THROW(space.allocate(MemoryKind::device, 1, {}, nullptr), OutOfMemory) << "its deallocation is still queued";
  space.synchronize_device();
  memory(MemoryKind::device, 1);
  EXPECT_EQ(sim::set_memory(device, info.total), size);
}

// A cache that keeps small pieces for one stream must not make another fail while there is room enough.
TEST_F(Sim, C082_NoPoolRunsOutOfMemoryWhileWhatItKeepsWouldDo) {
  constexpr index_t unit = 1 << 20;
  for (const Pool pool : {Pool::direct, Pool::driver, Pool::cached}) {
    device.trim();
    space.synchronize_device();
    const MemoryInfo info = space.memory_info();
    sim::set_memory(device, info.total - info.free + 8 * unit);
    MemoryResource& resource = device.pool(pool);
    const Stream a(device, {.non_blocking = true}), other(device, {.non_blocking = true});
    for (const Stream& b : {a, other}) {
      const auto make = [&](index_t units, const Stream& on) {
        return device_array<char>({units * unit}, {.stream = on, .resource = &resource});
      };
      std::vector<NDArray<char>> kept{make(1, a)};
      make(4, a);  // freed at once
      kept.push_back(make(1, b));
      kept.push_back(make(1, a));
      kept.push_back(make(4, a));
      kept.push_back(make(1, b));
      EXPECT_THROW(make(1, a), OutOfMemory) << "all eight are taken now";
      kept.pop_back();
      kept.pop_back();
      kept.push_back(make(5, b));  // what was two blocks, on two streams
      for (const auto& array : kept) array.fill(1, b);
    }
    sim::set_memory(device, info.total);
  }
}

TEST_F(Sim, EagerRunsEverythingAtOnce) {
  sim::set_schedule("eager");
  const NativeStream a = stream(true);
  log_on(a, 1);
  EXPECT_EQ(log, std::vector<int>{1});
  space.run(Task([&] { log_on(a, 3), log.push_back(2); }), nullptr);  // what a task queues comes behind it
  EXPECT_EQ(log, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(sim::counts(device).pending, 0u);
}

// Streams interleave in ways that neither of the other schedules has, and a seed repeats its way.
TEST_F(Sim, RandomInterleavesStreamsAndRepeatsWithItsSeed) {
  const NativeStream a = stream(true), b = stream(true);
  const auto order_of = [&](const std::string& seed) {
    sim::set_schedule("random:" + seed);
    log.clear();
    for (int i = 0; i < 10; ++i) log_on(i % 2 == 0 ? a : b, i);
    space.synchronize_device();
    return log;
  };
  std::set<std::vector<int>> orders;
  for (int seed = 0; seed < 20; ++seed) {
    const std::vector<int> order = order_of(std::to_string(seed));
    EXPECT_EQ(order_of(std::to_string(seed)), order);
    for (const int first : {0, 1}) {
      std::vector<int> of_one_stream = order;
      std::erase_if(of_one_stream, [&](int i) { return i % 2 != first; });
      EXPECT_TRUE(std::is_sorted(of_one_stream.begin(), of_one_stream.end()));
    }
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 10u);
}

TEST_F(Sim, SchedulesAreNamed) {
  for (const char* name : {"eager", "lazy", "random:0", "random:18446744073709551615"}) {
    sim::set_schedule(name);
    EXPECT_EQ(sim::schedule(), name);
  }
  for (const char* name : {"", "Lazy", "random:", "random:-1", "random:1x", "random:18446744073709551616"}) {
    EXPECT_THROW(sim::set_schedule(name), Error) << name;
  }
  EXPECT_THROW(sim::counts(Device("host")), AccessError);
}

TEST_F(Sim, AnotherDevicesEventCanBeWaitedFor) {
  MemorySpace& neighbour = backend::find_space("sim:1");
  const NativeStream a = stream(true), b = neighbour.create_stream({.non_blocking = true});
  const NativeEvent event = space.create_event(false);
  log_on(a, 1);
  space.record(event, a);
  neighbour.wait(b, event);
  neighbour.run(Task([this] { log.push_back(2); }), b);
  neighbour.synchronize_stream(b);
  EXPECT_EQ(log, (std::vector<int>{1, 2}));
  neighbour.destroy_stream(b);
  space.destroy_event(event);
}

// OpenMP's, or Kokkos': any thread that touches memory while a kernel runs is taken to be of it.
TEST_F(Sim, AKernelMayBringItsOwnThreads) {
  const auto array = zeros<int>({40'000}, {.device = device});
  const Stream s(device);
  launch(s, [view = array.device_view<1>()] {
    std::vector<std::thread> threads;
    for (index_t t = 0; t < 4; ++t) {
      threads.emplace_back([view, t] {
        for (index_t i = 10'000 * t; i < 10'000 * (t + 1); ++i) view(i) += static_cast<int>(t);
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  s.synchronize();
  for (index_t t = 0; t < 4; ++t) EXPECT_EQ(array.item(10'000 * t + 9'999), t);
}

// One half of a page-locked array travels while the host works on the other, on the same page.
TEST_F(SimDeathTest, OnlyTheElementsThatTravelAreClosed) {
  const auto array = pinned_array<int>({100}, {.device = device, .label = "halves"});
  array.fill(1);
  const auto on_device = zeros<int>({50}, {.device = device});
  const Stream s(device);
  const Transfer t = on_device.copy_to_host(array(slice(0, 50)), s);
  for (index_t i = 50; i < 100; ++i) array(i) += static_cast<int>(i);
  EXPECT_EQ(array(99), 100);
  EXPECT_DEATH(array(49) = 5, "the host writes byte 196 of 'halves'.*in flight") << "closed again behind each access";
  t.wait();
  EXPECT_EQ(array(49), 0);
}

TEST_F(Sim, TheNthAllocationFailsAndSoDoesItsRetry) {
  MemoryResource& direct = device.pool(Pool::direct);  // a pool that keeps memory back need not ask the device
  sim::fail_allocation(device, 2);
  const auto first = device_array<float>({10}, {.device = device, .resource = &direct});
  EXPECT_THROW(device_array<float>({10}, {.device = device, .resource = &direct}), OutOfMemory);
  EXPECT_NO_THROW(device_array<float>({10}, {.device = device, .resource = &direct}));
}

TEST_F(Sim, TheNthCopyFails) {
  const std::vector<float> host(10, 1.0f);
  const auto array = to_device(host, {.device = device});
  sim::fail_copy(device, 2);
  EXPECT_NO_THROW(array.copy_to_host());
  EXPECT_THROW(array.copy_to_host(), DeviceError);
  EXPECT_EQ(array.copy_to_host()(9), 1.0f);
}

// Every later call reports it, none hangs, and destructors let go.
TEST_F(Sim, ALostDeviceReportsItEverywhere) {
  static int reports;
  reports = 0;
  const ErrorSink former = set_error_sink([](const char*) noexcept { ++reports; });
  {
    const Device lost("sim:1");
    const Stream s(lost);
    const auto array = full<float>({10}, 2.0f, {.stream = s});
    const Event event = s.record();
    sim::lose(lost);
    const auto expect_lost = [](auto&& call) {
      try {
        call();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const DeviceError& error) {
        EXPECT_TRUE(error.fatal()) << error.what();
      }
    };
    expect_lost([&] { array.copy_to_host(); });
    expect_lost([&] { s.synchronize(); });
    expect_lost([&] { event.wait(); });
    expect_lost([&] { static_cast<void>(event.ready()); });
    expect_lost([&] { lost.synchronize(); });
    expect_lost([&] { zeros<float>({10}, {.device = lost}); });
    expect_lost([&] { static_cast<void>(Stream(lost)); });
    sim::restore(lost);
    EXPECT_EQ(zeros<float>({1}, {.device = lost}).item(0), 0.0f) << "restored";
    sim::lose(lost);
  }
  sim::restore(Device("sim:1"));
  set_error_sink(former);
}

TEST_F(Sim, ALongQueueIsNoDeepRecursion) {
  const NativeStream s = stream(true);
  int count = 0;
  for (int i = 0; i < 50'000; ++i) space.run(Task([&count] { ++count; }), s);
  space.synchronize_stream(s);
  EXPECT_EQ(count, 50'000);
}

}  // namespace

}  // namespace ferry::test
