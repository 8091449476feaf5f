#include <atomic>
#include <chrono>
#include <thread>

#include "contract/contract.hpp"

namespace ferry::test {

class ContractOrder : public Contract {};
FERRY_CONTRACT(ContractOrder);

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

TEST_P(ContractOrder, SynchronizingAnEventWaitsForWhatWasBefore) {
  Streams streams(space);
  const NativeStream a = streams.stream();
  const NativeEvent event = streams.event();
  const Block target(space, 100, MemoryKind::pinned), source(space, 100);
  upload(source.get(), iota(100));
  space.copy(target.get(), source.get(), 100, a);
  space.record(event, a);
  space.synchronize_event(event);
  EXPECT_EQ(target.host()[99], 99);
  EXPECT_TRUE(space.is_event_done(event));
}

TEST_P(ContractOrder, AnEventOnTheLegacyStreamIsBehindBlockingStreams) {
  Streams streams(space);
  const NativeStream a = streams.stream();
  const NativeEvent event = streams.event();
  const Block target(space, 100, MemoryKind::pinned), source(space, 100);
  upload(source.get(), iota(100));
  space.copy(target.get(), source.get(), 100, a);
  space.record(event, nullptr);
  space.synchronize_event(event);
  EXPECT_EQ(target.host()[99], 99);
}

// A wait means the record made before it, so two streams may pass one event back and forth.
TEST_P(ContractOrder, AnEventCanBeRecordedAgainBehindItsOwnWait) {
  Streams streams(space);
  const NativeStream a = streams.stream(true), b = streams.stream(true);
  const NativeEvent event = streams.event();
  const Block block(space, 100);
  for (int i = 0; i < 20; ++i) {
    fill(block.get(), 100, static_cast<std::uint8_t>(2 * i), a);
    space.record(event, a);
    space.wait(b, event);
    fill(block.get(), 100, static_cast<std::uint8_t>(2 * i + 1), b);
    space.record(event, b);
    space.wait(a, event);
  }
  space.synchronize_stream(a);
  EXPECT_EQ(download(block.get(), 100), Bytes(100, 39));
}

TEST_P(ContractOrder, AnEventMayBeDestroyedWhileItIsWaitedFor) {
  Streams streams(space);
  const NativeStream a = streams.stream(true), b = streams.stream(true);
  const Block x(space, 100), y(space, 100);
  const NativeEvent event = space.create_event(false);
  fill(x.get(), 100, 1, a);
  space.record(event, a);
  space.wait(b, event);
  space.destroy_event(event);
  space.copy(y.get(), x.get(), 100, b);
  space.synchronize_stream(b);
  EXPECT_EQ(download(y.get(), 100), Bytes(100, 1));
}

TEST_P(ContractOrder, TheLegacyStreamWaitsForADestroyedBlockingStream) {
  const Block x(space, 100), y(space, 100);
  const NativeStream stream = space.create_stream({});
  fill(x.get(), 100, 1, stream);
  space.destroy_stream(stream);
  space.copy(y.get(), x.get(), 100, nullptr);
  EXPECT_EQ(download(y.get(), 100), Bytes(100, 1));
}

TEST_P(ContractOrder, StreamsTakeAnyPriority) {
  const Block block(space, 10);
  for (const int priority : {-1000, 0, 1000}) {
    const NativeStream stream = space.create_stream({.non_blocking = true, .priority = priority});
    fill(block.get(), 10, 9, stream);
    space.synchronize_stream(stream);
    EXPECT_EQ(download(block.get(), 10), Bytes(10, 9));
    space.destroy_stream(stream);
  }
}

TEST_P(ContractOrder, TimingNeedsTwoRecordedEvents) {
  Streams streams(space);
  const NativeEvent start = streams.event(true), stop = streams.event(true);
  space.record(start, nullptr);
  space.synchronize_stream(nullptr);
  EXPECT_THROW(space.elapsed_ms(start, stop), DeviceError);
  EXPECT_THROW(space.elapsed_ms(stop, start), DeviceError);
}

TEST_P(ContractOrder, ManyThreadsRegisterAndQuery) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([this, t, &wrong] {
      Bytes memory = iota(1000, static_cast<std::uint8_t>(t));
      for (int round = 0; round < 50; ++round) {
        for (const MemoryKind kind : all_kinds) {
          void* const block = space.allocate(kind, 1000, {}, nullptr);
          space.register_host(memory.data(), 1000, {});
          if (space.query(memory.data() + 999).base != memory.data()) ++wrong;
          if (kind != MemoryKind::pageable && space.query(block).kind != kind) ++wrong;
          space.copy(block, memory.data(), 1000, nullptr);
          space.synchronize_stream(nullptr);
          space.unregister_host(memory.data());
          space.deallocate(kind, block, 1000, nullptr);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  space.synchronize_device();
  EXPECT_EQ(wrong, 0);
}

}  // namespace ferry::test
