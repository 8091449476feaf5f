// The order of work, for each kind of work: none may run before its turn, and none after it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "contract/contract.hpp"

namespace ferry::test {

class ContractWork : public Contract {
 protected:
  static constexpr std::size_t n = 96;
  /// Writes the byte 1 to n bytes of y; those that have a source read it from x, which holds 1 only in its turn.
  struct Work {
    const char* name;
    std::function<void(std::byte* y, std::byte* x, NativeStream stream)> queue;
  };
  std::vector<Work> all_work() {
    std::vector<Work> all = {
        {"copy", [this](std::byte* y, std::byte* x, NativeStream s) { space.copy(y, x, n, s); }},
        {"copy_pitched",
         [this](std::byte* y, std::byte* x, NativeStream s) {
           space.copy_pitched(y, 8, x, 8, 5, n / 8, s);
           space.copy_pitched(y + 5, 8, x + 5, 8, 3, n / 8, s);
         }},
        {"copy_strided",
         [this](std::byte* y, std::byte* x, NativeStream s) {
           space.copy_strided({y, x + n - 1, 1, {index_t{n}}, {1}, {-1}}, s);
         }},
        {"convert_strided",
         [this](std::byte* y, std::byte* x, NativeStream s) {
           space.convert_strided({y, x, dtype_of<std::uint8_t>(), dtype_of<std::int8_t>(), {index_t{n}}, {1}, {1}}, s);
         }},
        {"fill_strided", [this](std::byte* y, std::byte*, NativeStream s) { fill(y, n, 1, s); }}};
    if (space.capabilities().runs_tasks) {
      all.push_back({"run", [this](std::byte* y, std::byte* x, NativeStream s) {
                       space.run(Task([=] { std::copy_n(x, n, y); }), s);
                     }});
    }
    return all;
  }
  /// x becomes 1 and y 5 on `before`, the work runs on `during`, y is kept and both are spoilt on `after`.
  void check(const std::function<void(NativeStream, NativeStream)>& order, NativeStream before, NativeStream during,
             NativeStream after) {
    for (const Work& work : all_work()) {
      const Block x(space, n), y(space, n), kept(space, n);
      upload(x.get(), Bytes(n, 7));
      upload(kept.get(), Bytes(n, 8));
      fill(x.get(), n, 1, before);
      fill(y.get(), n, 5, before);
      order(before, during);
      work.queue(y.get(), x.get(), during);
      order(during, after);
      space.copy(kept.get(), y.get(), n, after);
      fill(x.get(), n, 2, after);
      fill(y.get(), n, 9, after);
      space.synchronize_stream(after);
      EXPECT_EQ(download(kept.get(), n), Bytes(n, 1)) << work.name;
    }
  }
};
FERRY_CONTRACT(ContractWork);

TEST_P(ContractWork, KeepsItsPlaceInAStream) {
  Streams streams(space);
  for (const bool non_blocking : {false, true}) {
    const NativeStream stream = streams.stream(non_blocking);
    check([](NativeStream, NativeStream) {}, stream, stream, stream);
  }
  check([](NativeStream, NativeStream) {}, nullptr, nullptr, nullptr);
}

TEST_P(ContractWork, KeepsItsPlaceBetweenEvents) {
  Streams streams(space);
  const NativeEvent event = streams.event();
  const auto by_event = [&](NativeStream earlier, NativeStream later) {
    space.record(event, earlier);
    space.wait(later, event);
  };
  check(by_event, streams.stream(true), streams.stream(true), streams.stream(true));
  check(by_event, streams.stream(true), nullptr, streams.stream(true));  // the legacy stream waits for events too
  check(by_event, nullptr, streams.stream(true), nullptr);
}

TEST_P(ContractWork, KeepsItsPlaceBetweenTheLegacyStreamAndBlockingOnes) {
  Streams streams(space);
  const auto by_itself = [](NativeStream, NativeStream) {};
  check(by_itself, streams.stream(), nullptr, streams.stream());
  check(by_itself, nullptr, streams.stream(), nullptr);
}

TEST_P(ContractWork, PollingAStreamComesToAnEndAndIsTrueOnlyThen) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const Block target(space, n, MemoryKind::pinned), source(space, n);
  upload(source.get(), Bytes(n, 4));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (const NativeStream polled : {stream, NativeStream{nullptr}}) {
    std::fill_n(target.host(), n, std::uint8_t{0});
    space.copy(target.get(), source.get(), n, polled);
    while (!space.is_stream_done(polled)) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    EXPECT_EQ(target.host()[n - 1], 4);
  }
}

TEST_P(ContractWork, OfOneThreadIsWaitedForByAnother) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const NativeEvent event = streams.event();
  const Block target(space, n, MemoryKind::pinned), source(space, n);
  upload(source.get(), iota(n));
  std::thread([&] {
    space.copy(target.get(), source.get(), n, stream);
    space.record(event, stream);
  }).join();
  space.synchronize_event(event);
  EXPECT_EQ(target.host()[n - 1], n - 1);
}

TEST_P(ContractWork, OfManyThreadsMayShareAStream) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  constexpr std::size_t threads = 6;
  const Block block(space, threads * n);
  upload(block.get(), Bytes(threads * n, 0xAA));
  std::atomic<int> wrong{0};
  std::vector<std::thread> crew;
  for (std::size_t t = 0; t < threads; ++t) {
    crew.emplace_back([&, t] {
      std::byte* const mine = block.get() + t * n;
      for (std::size_t round = 0; round < 40; ++round) {
        const auto value = static_cast<std::uint8_t>(t * 40 + round);
        Bytes back(n / 2);
        fill(mine, n / 2, value, stream);
        space.copy(mine + n / 2, mine, n / 2, stream);
        space.copy(back.data(), mine + n / 2, n / 2, stream);
        if (back != Bytes(n / 2, value)) ++wrong;
      }
    });
  }
  for (std::thread& thread : crew) thread.join();
  space.synchronize_stream(stream);
  EXPECT_EQ(wrong, 0);
  for (std::size_t t = 0; t < threads; ++t) {
    EXPECT_EQ(download(block.get() + t * n, n), Bytes(n, static_cast<std::uint8_t>(t * 40 + 39)));
  }
}

}  // namespace ferry::test
