#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "contract/contract.hpp"

namespace ferry::test {

class ContractOrder : public Contract {};
FERRY_CONTRACT(ContractOrder);

// Appends to a log when its turn comes: on devices that run host code, the order itself can be seen.
class ContractTasks : public Contract {
 protected:
  void SetUp() override {
    if (!space.capabilities().runs_tasks) GTEST_SKIP() << GetParam() << " does not run host code";
  }
  void log_on(NativeStream stream, int what) {
    space.run(Task([this, what] { log.push_back(what); }), stream);
  }
  std::vector<int> log;
};
FERRY_CONTRACT(ContractTasks);

TEST_P(ContractOrder, OneStreamRunsInSequence) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const Block block(space, 1000);
  for (int i = 0; i < 50; ++i) fill(block.get(), 1000, static_cast<std::uint8_t>(i), stream);
  space.synchronize_stream(stream);
  EXPECT_EQ(download(block.get(), 1000), Bytes(1000, 49));
}

TEST_P(ContractOrder, AnEventCarriesOrderToAnotherStream) {
  Streams streams(space);
  const NativeStream a = streams.stream(), b = streams.stream();
  const NativeEvent event = streams.event();
  const Block x(space, 1000), y(space, 1000);
  fill(x.get(), 1000, 1, a);
  space.record(event, a);
  space.wait(b, event);
  space.copy(y.get(), x.get(), 1000, b);
  space.synchronize_stream(b);
  EXPECT_EQ(download(y.get(), 1000), Bytes(1000, 1));
}

TEST_P(ContractOrder, TheLegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  Streams streams(space);
  const NativeStream a = streams.stream(), b = streams.stream();
  const Block x(space, 1000), y(space, 1000), z(space, 1000);
  fill(x.get(), 1000, 1, a);
  space.copy(y.get(), x.get(), 1000, nullptr);
  space.copy(z.get(), y.get(), 1000, b);
  space.synchronize_stream(b);
  EXPECT_EQ(download(z.get(), 1000), Bytes(1000, 1));
}

TEST_P(ContractOrder, SynchronizingTheDeviceWaitsForAllStreams) {
  Streams streams(space);
  const NativeStream a = streams.stream(), b = streams.stream(true);
  const Block x(space, 100, MemoryKind::pinned), y(space, 100, MemoryKind::pinned), source(space, 100);
  upload(source.get(), iota(100));
  space.copy(x.get(), source.get(), 100, a);
  space.copy(y.get(), source.get(), 100, b);
  space.synchronize_device();
  EXPECT_EQ(x.host()[99], 99);
  EXPECT_EQ(y.host()[99], 99);
  EXPECT_TRUE(space.is_stream_done(a));
  EXPECT_TRUE(space.is_stream_done(b));
}

TEST_P(ContractOrder, WorkOfADestroyedStreamStillCompletes) {
  const Block target(space, 100, MemoryKind::pinned), source(space, 100);
  upload(source.get(), iota(100));
  const NativeStream stream = space.create_stream({});
  space.copy(target.get(), source.get(), 100, stream);
  space.destroy_stream(stream);
  space.synchronize_device();
  EXPECT_EQ(target.host()[99], 99);
}

TEST_P(ContractOrder, PollingComesToAnEnd) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const NativeEvent event = streams.event();
  const Block block(space, 1000, MemoryKind::pinned), source(space, 1000);
  upload(source.get(), Bytes(1000, 4));
  space.copy(block.get(), source.get(), 1000, stream);
  space.record(event, stream);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!space.is_event_done(event)) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  EXPECT_EQ(block.host()[999], 4);
  while (!space.is_stream_done(stream)) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
}

TEST_P(ContractOrder, AnEventNeverRecordedIsNoWait) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const NativeEvent event = streams.event();
  EXPECT_TRUE(space.is_event_done(event));
  space.synchronize_event(event);
  space.wait(stream, event);
  space.synchronize_stream(stream);
}

TEST_P(ContractOrder, AnEventMeansItsLastRecord) {
  Streams streams(space);
  const NativeStream a = streams.stream(true), b = streams.stream(true);
  const NativeEvent event = streams.event();
  const Block x(space, 100), y(space, 100);
  fill(x.get(), 100, 1, a);
  space.record(event, a);
  fill(x.get(), 100, 2, a);
  space.record(event, a);
  space.wait(b, event);
  space.copy(y.get(), x.get(), 100, b);
  space.synchronize_stream(b);
  EXPECT_EQ(download(y.get(), 100), Bytes(100, 2));
}

TEST_P(ContractOrder, TimingCountsMilliseconds) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const NativeEvent start = streams.event(true), stop = streams.event(true), plain = streams.event(false);
  const Block block(space, 1 << 20);
  space.record(start, stream);
  for (int i = 0; i < 20; ++i) fill(block.get(), 1 << 20, 1, stream);
  space.record(stop, stream);
  space.record(plain, stream);
  space.synchronize_stream(stream);
  EXPECT_GT(space.elapsed_ms(start, stop), 0.0f);
  EXPECT_LT(space.elapsed_ms(start, stop), 60'000.0f);
  EXPECT_THROW(space.elapsed_ms(start, plain), DeviceError);
}

TEST_P(ContractOrder, ManyThreadsOnTheirOwnStreams) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this, t, &wrong] {
      Streams streams(space);
      const NativeStream stream = streams.stream(t % 2 == 0);
      for (int round = 0; round < 50; ++round) {
        const std::size_t bytes = static_cast<std::size_t>(100 + 37 * t + round);
        const Bytes data = iota(bytes, static_cast<std::uint8_t>(t * 31 + round));
        void* const memory = space.allocate(MemoryKind::device, bytes, {}, stream);
        Bytes back(bytes);
        space.copy(memory, data.data(), bytes, stream);
        space.copy(back.data(), memory, bytes, stream);
        space.deallocate(MemoryKind::device, memory, bytes, stream);
        if (back != data) ++wrong;
      }
      space.synchronize_stream(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(ContractTasks, RunInStreamOrderOnceEach) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  for (int i = 0; i < 100; ++i) log_on(stream, i);
  space.synchronize_stream(stream);
  ASSERT_EQ(log.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(log[static_cast<std::size_t>(i)], i);
}

TEST_P(ContractTasks, EventsAndTheLegacyStreamOrderThem) {
  Streams streams(space);
  const NativeStream a = streams.stream(), b = streams.stream(), free = streams.stream(true);
  const NativeEvent event = streams.event();
  log_on(a, 1);
  space.record(event, a);
  space.wait(free, event);
  log_on(free, 2);
  space.record(event, free);
  space.wait(b, event);
  log_on(b, 3);
  log_on(nullptr, 4);
  log_on(a, 5);
  space.synchronize_stream(a);
  space.synchronize_device();
  EXPECT_EQ(log, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST_P(ContractTasks, DestroyWhatTheyCapturedOnce) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const auto counted = std::make_shared<int>(0);
  space.run(Task([counted] { ++*counted; }), stream);
  space.synchronize_stream(stream);
  EXPECT_EQ(*counted, 1);
  EXPECT_EQ(counted.use_count(), 1);
}

TEST_P(ContractTasks, WhatTheyThrowComesOutWhereSomebodyWaits) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  EXPECT_THROW(
      {
        space.run(Task([] { throw IndexError("from a kernel"); }), stream);
        space.synchronize_stream(stream);
      },
      IndexError);
  log_on(stream, 1);  // the stream lives on
  space.synchronize_stream(stream);
  EXPECT_EQ(log, std::vector<int>{1});
}

TEST_P(ContractTasks, ReachDeviceMemory) {
  const Block block(space, 100);
  upload(block.get(), iota(100));
  std::byte* const at = block.get();
  space.run(Task([at] {
              for (int i = 0; i < 100; ++i) at[i] = static_cast<std::byte>(static_cast<int>(at[i]) * 2);
            }),
            nullptr);
  EXPECT_EQ(download(block.get(), 100)[99], 198);
}

// What only an asynchronous device can show: that it does not do the work at once.
TEST_P(ContractTasks, AnAsynchronousDeviceDefersThem) {
  if (!space.capabilities().asynchronous) GTEST_SKIP() << GetParam() << " is synchronous";
  Streams streams(space);
  const NativeStream a = streams.stream(true), b = streams.stream(true);
  log_on(a, 1);
  log_on(b, 2);
  space.synchronize_stream(b);
  EXPECT_EQ(log, std::vector<int>{2}) << "nothing orders stream a before stream b";
  space.synchronize_stream(a);
}

}  // namespace ferry::test
