// Real out-of-memory, pools under load, and arrays beyond 2^31 elements.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "gpu/support.hpp"

namespace ferry::test {
namespace {

constexpr index_t GiB = index_t{1} << 30;

TEST(OutOfMemoryTest, SaysHowMuchAndWhoseAndIsOver) {
  for (const Pool pool : {Pool::direct, Pool::driver, Pool::cached}) {
    device().trim();
    MemoryResource& resource = device().pool(pool);
    std::vector<NDArray<std::uint8_t>> taken;
    const auto take = [&] {
      for (int i = 0; i < 100; ++i) {
        taken.push_back(
            device_array<std::uint8_t>({8 * GiB}, {.device = device(), .resource = &resource, .label = "ballast"}));
      }
    };
    try {
      take();
      FAIL() << "800 GiB were given out";
    } catch (const OutOfMemory& error) {
      EXPECT_EQ(error.asked(), static_cast<std::size_t>(8 * GiB));
      EXPECT_LT(error.free(), static_cast<std::size_t>(9 * GiB));
      EXPECT_GT(error.total(), error.free());
      EXPECT_NE(std::string(error.what()).find("ballast"), std::string::npos) << error.what();
    }
    EXPECT_GT(taken.size(), 4u);
    EXPECT_EQ(GPU(GetLastError)(), GPU(Success));
    taken.pop_back();
    const auto again = full({8 * GiB}, std::uint8_t{1}, {.device = device(), .resource = &resource});
    EXPECT_EQ(again.item(8 * GiB - 1), 1);
    taken.clear();
  }
}

// What one pool keeps is given back for another that runs out.
TEST(OutOfMemoryTest, CachesAreGivenBackFirst) {
  for (const Pool full_one : {Pool::driver, Pool::cached}) {
    {
      std::vector<NDArray<std::uint8_t>> taken;
      for (int i = 0; i < 8; ++i) {
        taken.push_back(
            device_array<std::uint8_t>({12 * GiB}, {.device = device(), .resource = &device().pool(full_one)}));
      }
    }
    for (const Pool pool : {Pool::direct, Pool::driver, Pool::cached}) {
      const auto large =
          device_array<std::uint8_t>({100 * GiB}, {.device = device(), .resource = &device().pool(pool)});
      EXPECT_NE(large.data(), nullptr);
    }
  }
  device().synchronize();
  device().trim();
}

TEST(Trim, GivesEverythingBack) {
  device().synchronize();
  device().trim();
  std::size_t before = 0, after = 0, total = 0;
  FERRY_GPU_OK(GPU(MemGetInfo)(&before, &total));
  for (const Pool pool : {Pool::direct, Pool::driver, Pool::cached}) {
    for (const index_t bytes : {index_t{100}, index_t{1000}, index_t{5'000'000}, 3 * GiB}) {
      const auto a = device_array<std::uint8_t>({bytes}, {.device = device(), .resource = &device().pool(pool)});
      a.fill(1);
    }
  }
  device().synchronize();
  device().trim();
  FERRY_GPU_OK(GPU(MemGetInfo)(&after, &total));
  EXPECT_EQ(before, after);
}

index_t others(const NDArray<std::uint8_t>& array, std::uint8_t value) {
  const auto counter = zeros<unsigned long long>({1}, {.device = device()});
  launch_count_others(array.data(), array.size(), value, counter.data());
  return static_cast<index_t>(counter.item(0));
}

TEST(BigGpu, MoreThanTwoToThe31Elements) {
  const index_t edge = 1291;  // its cube is the first above 2^31
  const auto box = full({edge, edge, edge}, std::uint8_t{1}, {.device = device()});
  EXPECT_EQ(others(box, 1), 0);
  box(slice(none, none, -1), slice(none, none, 2)).fill(2);
  EXPECT_EQ(others(box, 1), edge * 646 * edge);
  const auto turned = box.transpose().copy(Order::C);
  EXPECT_EQ(others(turned, 1), edge * 646 * edge);
  const auto probe = [&](index_t i, index_t j, index_t k) { return turned.item(k, j, i); };
  EXPECT_EQ(probe(edge - 1, edge - 1, edge - 1), 2);
  EXPECT_EQ(probe(edge - 1, edge - 2, edge - 1), 1);
  EXPECT_EQ(probe(0, 1, edge - 1), 1);
  const auto wide = turned(slice(), slice(1, none, 2)).astype<std::int16_t>();
  EXPECT_EQ(wide.item(edge - 1, 644, edge - 1), 1);
}

TEST(BigGpu, ParentsOfMoreThanTwoToThe32Bytes) {
  const index_t rows = 70'000, columns = 70'001;  // 4.9e9 bytes
  const auto parent = full({rows, columns}, std::uint8_t{3}, {.device = device()});
  parent(slice(none, none, 2)).fill(4);
  const auto column = parent(slice(none, none, -1), columns - 1).copy();
  const auto host = column.copy_to_host();
  for (index_t i = 0; i < rows; ++i) ASSERT_EQ(host(i), (rows - 1 - i) % 2 == 0 ? 4 : 3) << i;
  const auto corner = parent(slice(rows - 3, none), slice(columns - 5, none)).copy_to_host();
  EXPECT_EQ(corner(0, 0), 3);
  EXPECT_EQ(corner(1, 4), 4);
  const auto turned = parent.transpose().copy(Order::C);
  EXPECT_EQ(turned.item(columns - 1, rows - 2), 4);
  EXPECT_EQ(turned.item(columns - 1, rows - 1), 3);
  parent.assign(turned.transpose()(slice(none, none, -1)));
  EXPECT_EQ(parent.item(0, columns - 1), 3);
  EXPECT_EQ(others(parent, 3), rows / 2 * columns);
}

// A transfer of more than 2^32 bytes both ways.
TEST(BigGpu, TransfersOfMoreThanTwoToThe32Bytes) {
  const index_t size = 4 * GiB + 12'345;
  HostArray<std::uint8_t> there = host_array<std::uint8_t>({size}), back = host_array<std::uint8_t>({size});
  std::uint64_t state = 1;
  for (index_t i = 0; i + 8 <= size; i += 8) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::memcpy(there.data() + i, &state, 8);
  }
  const auto a = to_device(there, {.device = device()});
  a.copy_to_host(back);
  EXPECT_EQ(std::memcmp(there.data(), back.data(), static_cast<std::size_t>(size)), 0);
}

// FERRY_STRESS_SECONDS, else 3.
int stress_seconds() {
  const char* text = std::getenv("FERRY_STRESS_SECONDS");
  return text != nullptr ? std::atoi(text) : 3;
}

TEST(Stress, EightThreadsOfSixteenStreams) {
  for (const Pool pool : {Pool::driver, Pool::cached}) {
    MemoryResource& resource = device().pool(pool);
    device().synchronize();
    device().trim();
    std::size_t before = 0, after = 0, total = 0;
    FERRY_GPU_OK(GPU(MemGetInfo)(&before, &total));
    const std::size_t live_before = resource.stats().live_blocks;
    std::atomic<long> rounds{0}, wrong{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500 * stress_seconds());
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        std::vector<Stream> streams;
        for (int s = 0; s < 16; ++s) streams.emplace_back(device(), StreamOptions{.non_blocking = s % 2 == 0});
        std::uint32_t state = static_cast<std::uint32_t>(t) + 1;
        const auto next = [&](std::uint32_t below) {
          state = state * 1664525u + 1013904223u;
          return (state >> 8) % below;
        };
        try {
          while (std::chrono::steady_clock::now() < end) {
            const Stream &s = streams[next(16)], &other = streams[next(16)];
            const index_t size = static_cast<index_t>(next(4) == 0 ? next(1'000'000) : next(3'000)) + 2;
            const int value = static_cast<int>(next(1 << 20));
            auto a = device_array<int>({size}, {.stream = s, .resource = &resource});
            a.fill(value, s);
            auto b = device_array<int>({size}, {.stream = s, .resource = &resource});
            b.assign(a(slice(none, none, -1)), s);
            a = NDArray<int>();  // freed while the copy may still be queued
            const auto c = device_array<int>({size}, {.stream = other, .resource = &resource});
            other.wait(s.record());
            c.copy_to_device(b, other);
            b = NDArray<int>();
            auto home = c.copy_to_host(other);
            const auto host = home.get();
            if (host(0) != value || host(size - 1) != value || host(size / 2) != value) ++wrong;
            if (next(50) == 0) streams[next(16)] = Stream(device());  // streams end while their memory is cached
            ++rounds;
          }
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(rounds, 100);
    device().synchronize();
    EXPECT_EQ(resource.stats().live_blocks, live_before);
    device().trim();
    FERRY_GPU_OK(GPU(MemGetInfo)(&after, &total));
    // Streams and events have memory of the driver's own, which it keeps.
    EXPECT_LE(before - std::min(before, after), std::size_t{256} << 20);
    std::printf("stress: %ld rounds, %s pool, memory %zu -> %zu\n", rounds.load(),
                pool == Pool::driver ? "driver" : "cached", before, after);
  }
}

}  // namespace
}  // namespace ferry::test
