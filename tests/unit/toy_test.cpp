// What the toy device does beyond the contract: as late as is legal, and as hostile. Other suites rely on it to find
// missing waits, so it is tested itself.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <ferry/backend/registry.hpp>
#include <ferry/backend/strided.hpp>
#include <ferry/error.hpp>
#include <vector>

#include "support/error_code.hpp"
#include "support/toy_backend.hpp"

namespace ferry::test {

namespace {

using backend::MemorySpace;
using backend::NativeEvent;
using backend::NativeStream;

class Toy : public ::testing::Test {
 protected:
  void SetUp() override { space.synchronize_device(); }
  void TearDown() override {
    space.synchronize_device();
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

  MemorySpace& space = backend::find_space("toy:0");
  std::vector<int> log;

 private:
  struct Block {
    MemoryKind kind;
    void* address;
    std::size_t bytes;
  };
  std::vector<NativeStream> streams_;
  std::vector<Block> blocks_;
};
using ToyDeathTest = Toy;

TEST_F(ToyDeathTest, TheHostCannotTouchDeviceMemory) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  volatile std::uint8_t* const device = memory(MemoryKind::device, 100);
  EXPECT_DEATH(static_cast<void>(device[0]), "");
  EXPECT_DEATH(device[0] = 1, "");
  volatile auto* const face =
      static_cast<volatile std::uint8_t*>(space.query(memory(MemoryKind::mapped, 100)).device_pointer);
  EXPECT_DEATH(static_cast<void>(face[0]), "") << "the device's face of mapped memory is the device's";
  space.run(Task([device, face] {
              device[0] = 7;
              face[0] = 7;
            }),
            nullptr);
  space.synchronize_stream(nullptr);
  EXPECT_DEATH(device[0] = 1, "") << "it is closed again after a kernel";
}

TEST_F(Toy, RunsOnlyWhatAWaitDependsOn) {
  const NativeStream a = stream(true), b = stream(true);
  log_on(a, 1);
  log_on(b, 2);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(toy_counts(space).pending, 2u);
  space.synchronize_stream(b);
  EXPECT_EQ(log, std::vector<int>{2}) << "nothing orders stream a before stream b";
  EXPECT_EQ(toy_counts(space).pending, 1u);
  space.synchronize_device();
  EXPECT_EQ(log, (std::vector<int>{2, 1}));
}

TEST_F(Toy, NonBlockingStreamsDoNotOrderWithTheLegacyStream) {
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

TEST_F(Toy, WorkBeforeARecordIsAllThatAnEventWaitsFor) {
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

TEST_F(Toy, PageLockedSidesAreUsedWhenTheirTurnComes) {
  const NativeStream s = stream(true);
  std::uint8_t *const source = memory(MemoryKind::pinned, 8), *const target = memory(MemoryKind::pinned, 8);
  std::uint8_t *const device = memory(MemoryKind::device, 8), *const mapped = memory(MemoryKind::mapped, 8);
  source[0] = 1;
  target[0] = mapped[0] = 2;
  space.copy(device, source, 8, s);
  space.copy(target, device, 8, s);
  space.copy(mapped, device, 8, s);
  source[0] = 3;  // too early: a program that does this is wrong, and sees it here
  EXPECT_EQ(target[0], 2);
  EXPECT_EQ(mapped[0], 2);
  space.synchronize_stream(s);
  EXPECT_EQ(target[0], 3);
  EXPECT_EQ(mapped[0], 3);
}

TEST_F(Toy, PollsInVainThreeTimes) {
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

TEST_F(Toy, MemoryComesBackWhenItsStreamHasComeToIt) {
  const NativeStream s = stream(true);
  const std::size_t before = space.memory_info().free;
  void* const block = space.allocate(MemoryKind::device, 1000, {}, s);
  EXPECT_EQ(space.memory_info().free, before - 1024);
  EXPECT_EQ(first_byte(block), 0xCD) << "fresh memory is rubbish";
  log_on(s, 1);
  space.deallocate(MemoryKind::device, block, 1000, s);
  EXPECT_EQ(space.memory_info().free, before - 1024) << "still queued";
  EXPECT_EQ(error_code([&] { first_byte(block); }), 1) << "but gone for new work";
  space.synchronize_stream(s);
  EXPECT_EQ(space.memory_info().free, before);
  EXPECT_EQ(memory(MemoryKind::device, 1000), block) << "the first gap that is large enough";
}

TEST_F(Toy, WorkOfOtherStreamsSeesPoisonInFreedMemory) {
  const NativeStream a = stream(true), b = stream(true);
  std::uint8_t* const target = memory(MemoryKind::device, 100);
  void* const block = space.allocate(MemoryKind::device, 100, {}, nullptr);
  fill(block, 100, 1, nullptr);
  space.synchronize_stream(nullptr);
  space.copy(target, block, 100, b);  // nothing orders this before the deallocation
  space.deallocate(MemoryKind::device, block, 100, a);
  space.synchronize_stream(a);
  space.synchronize_stream(b);
  EXPECT_EQ(first_byte(target), 0xDD);
}

TEST_F(Toy, RangesThatLeaveTheirAllocationAreRefused) {
  std::uint8_t* const device = memory(MemoryKind::device, 100);
  std::vector<std::uint8_t> host(1000, 1);
  const auto pattern = std::byte{};
  auto* const bytes = reinterpret_cast<std::byte*>(device);
  EXPECT_EQ(error_code([&] { space.copy(device, host.data(), 101, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.copy(host.data(), device + 1, 100, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.copy_pitched(device, 20, host.data(), 10, 10, 6, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.copy_pitched(device, 20, host.data(), 10, 10, 5, nullptr); }), 0);
  EXPECT_EQ(error_code([&] { space.copy_strided({bytes, bytes + 9, 1, {11}, {1}, {-1}}, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.copy_strided({bytes, bytes + 50, 1, {10}, {1}, {-1}}, nullptr); }), 0);
  EXPECT_EQ(error_code([&] { space.fill_strided({bytes + 96, 4, {2}, {4}, &pattern}, nullptr); }), 1);
  EXPECT_EQ(error_code([&] { space.fill_strided({bytes + 96, 1, {4}, {1}, &pattern}, nullptr); }), 0);
  EXPECT_EQ(toy_counts(space).pending, 3u) << "what was refused was not queued";
}

TEST_F(Toy, KernelsDoNotReachAllMemory) {
  std::uint8_t *const device = memory(MemoryKind::device, 100), *const pinned = memory(MemoryKind::pinned, 100);
  std::uint8_t* const pageable = memory(MemoryKind::pageable, 100);
  MemorySpace& neighbour = backend::find_space("toy:1");
  void* const foreign = neighbour.allocate(MemoryKind::device, 100, {}, nullptr);
  std::array<std::uint8_t, 100> local{};
  for (void* const unreachable :
       {static_cast<void*>(pinned), static_cast<void*>(pageable), static_cast<void*>(local.data()), foreign}) {
    EXPECT_EQ(error_code([&] { fill(unreachable, 100, 1, nullptr); }), 1);
  }
  EXPECT_EQ(error_code([&] { space.copy(device, foreign, 100, nullptr); }), 1);
  EXPECT_EQ(space.query(pinned).device_pointer, nullptr);
  EXPECT_EQ(space.query(foreign).base, nullptr);
  neighbour.deallocate(MemoryKind::device, foreign, 100, nullptr);
  neighbour.synchronize_device();
}

TEST_F(Toy, ATaskMayNotWaitForItsDevice) {
  const NativeStream a = stream(true), b = stream(true);
  log_on(b, 1);
  space.run(Task([&] { space.synchronize_stream(b); }), a);
  EXPECT_EQ(error_code([&] { space.synchronize_stream(a); }), 800);
  space.synchronize_stream(b);
  EXPECT_EQ(log, std::vector<int>{1});
}

TEST_F(Toy, CountsWhatItWasAskedToDo) {
  const ToyCounts before = toy_counts(space);
  std::uint8_t* const device = memory(MemoryKind::device, 100);
  auto* const bytes = reinterpret_cast<std::byte*>(device);
  const std::vector<std::uint8_t> host(100, 1);
  space.copy(device, host.data(), 50, nullptr);
  space.copy_strided({bytes, bytes + 50, 1, {10}, {2}, {1}}, nullptr);
  fill(device, 100, 2, nullptr);
  space.convert_strided({bytes, bytes + 50, dtype_of<std::int16_t>(), dtype_of<std::int8_t>(), {5}, {2}, {1}}, nullptr);
  log_on(nullptr, 1);
  const ToyCounts after = toy_counts(space);
  EXPECT_EQ(after.copies - before.copies, 2u);
  EXPECT_EQ(after.fills - before.fills, 1u);
  EXPECT_EQ(after.conversions - before.conversions, 1u);
  EXPECT_EQ(after.kernels - before.kernels, 1u);
  EXPECT_EQ(after.allocations - before.allocations, 1u);
  EXPECT_EQ(after.pending, 5u);
}

TEST_F(Toy, HasTheMemoryItIsGiven) {
  const std::size_t former = set_toy_capacity(space, 10 * 256);
  EXPECT_EQ(space.memory_info().total, 10u * 256);
  const std::size_t free = space.memory_info().free;
  EXPECT_THROW(space.allocate(MemoryKind::device, free + 1, {}, nullptr), OutOfMemory);
  void* const all = space.allocate(MemoryKind::device, free, {}, nullptr);
  EXPECT_THROW(space.allocate(MemoryKind::device, 1, {}, nullptr), OutOfMemory);
  space.deallocate(MemoryKind::device, all, free, nullptr);
  EXPECT_THROW(space.allocate(MemoryKind::device, 1, {}, nullptr), OutOfMemory) << "its deallocation is still queued";
  space.synchronize_device();
  memory(MemoryKind::device, 1);
  set_toy_capacity(space, former);
}

TEST_F(Toy, ALongQueueIsNoDeepRecursion) {
  const NativeStream s = stream(true);
  int count = 0;
  for (int i = 0; i < 50'000; ++i) space.run(Task([&count] { ++count; }), s);
  space.synchronize_stream(s);
  EXPECT_EQ(count, 50'000);
}

}  // namespace

}  // namespace ferry::test
