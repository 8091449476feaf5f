// The built-in pools on the suite's device: what they hand out, to whom, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ferry/ferry.hpp>
#include <ferry/memory_resource.hpp>
#include <set>
#include <vector>

#include "support/test_device.hpp"

namespace ferry::test {
namespace {

constexpr Pool all_pools[] = {Pool::direct, Pool::driver, Pool::cached};

class Pools : public ::testing::TestWithParam<Pool> {
 protected:
  MemoryResource& resource = device().pool(GetParam());
  NDArray<int> make(index_t n, const Stream& stream = {}) {
    return device_array<int>({n}, {.stream = stream, .device = device(), .resource = &resource});
  }
  void SetUp() override {
    device().synchronize();
    device().trim();
  }
};
INSTANTIATE_TEST_SUITE_P(Pool, Pools, ::testing::ValuesIn(all_pools), [](const auto& pool) {
  return pool.param == Pool::direct ? "direct" : pool.param == Pool::driver ? "driver" : "cached";
});

TEST_P(Pools, CountWhatTheyGiveOut) {
  const MemoryStats before = resource.stats();
  {
    const auto a = make(100), b = make(50);
    const MemoryStats during = resource.stats();
    EXPECT_EQ(during.live_blocks, before.live_blocks + 2);
    EXPECT_EQ(during.live_bytes, before.live_bytes + 600);
    EXPECT_GE(during.peak_bytes, during.live_bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 256, 0u);
  }
  const MemoryStats after = resource.stats();
  EXPECT_EQ(after.live_blocks, before.live_blocks);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.deallocations, before.deallocations + 2);
}

TEST_P(Pools, LiveBlocksNeverMeet) {
  std::vector<NDArray<int>> arrays;
  std::uint32_t state = 7;
  for (int round = 0; round < 300; ++round) {
    state = state * 1664525u + 1013904223u;
    if (arrays.size() > 20) {
      arrays[state >> 8 & 15] = make(static_cast<index_t>(state >> 20) + 1);
    } else {
      arrays.push_back(make(static_cast<index_t>(state >> 20) + 1));
    }
    std::set<std::pair<const int*, const int*>> ranges;
    for (const auto& array : arrays) ranges.insert({array.data(), array.data() + array.size()});
    const int* end = nullptr;
    for (const auto& [begin, stop] : ranges) {
      ASSERT_GE(begin, end);
      end = stop;
    }
  }
}

// Whoever keeps a list of free blocks inside of them must not write beyond a block that is smaller than a pointer.
TEST_P(Pools, C085_BlocksSmallerThanAPointer) {
  MemoryResource& pinned = device().pool(GetParam(), MemoryKind::pinned);
  for (const index_t bytes : {1, 3, 7}) {
    std::vector<HostArray<std::uint8_t>> blocks;
    const auto make = [&] { return pinned_array<std::uint8_t>({bytes}, {.device = device(), .resource = &pinned}); };
    for (int i = 0; i < 64; ++i) blocks.push_back(make());
    for (int i = 0; i < 64; ++i) blocks[static_cast<std::size_t>(i)].fill(static_cast<std::uint8_t>(i + 1));
    for (std::size_t i = 0; i < 64; i += 2) blocks[i] = HostArray<std::uint8_t>();
    for (std::size_t i = 0; i < 64; i += 4) {
      blocks[i] = make();
      blocks[i].fill(200);
    }
    for (std::size_t i = 1; i < 64; i += 2) {
      for (index_t k = 0; k < bytes; ++k) ASSERT_EQ(blocks[i](k), i + 1) << bytes << " bytes, block " << i;
    }
  }
}

// Memory freed on one stream must not reach another before the work that uses it is done.
TEST_P(Pools, C078_ReuseAcrossStreamsIsOrdered) {
  const Stream a(device(), {.non_blocking = true}), b(device(), {.non_blocking = true});
  for (int round = 0; round < 30; ++round) {
    const auto y = make(5000, a);
    {
      const auto x = make(5000, a);
      x.fill(3, a);
      y.copy_to_device(x, a);
    }
    const auto z = make(5000, b);
    z.fill(8, b);
    a.synchronize();
    b.synchronize();
    ASSERT_EQ(y.item(4999), 3);
    ASSERT_EQ(y.item(0), 3);
    ASSERT_EQ(z.item(4999), 8);
  }
}

TEST_P(Pools, C079_StreamsMayEndBeforeTheirMemoryIsReused) {
  const std::size_t free_before = device().memory_info().free;
  for (int round = 0; round < 100; ++round) {
    const Stream stream(device());
    const auto block = make(4 << 16, stream);
    block.fill(round, stream);
  }
  const auto last = make(4 << 18);
  last.fill(1);
  EXPECT_EQ(last.item((4 << 18) - 1), 1);
  EXPECT_GE(device().memory_info().free + (std::size_t{64} << 20), free_before) << "no growth by the hundred blocks";
}

TEST_P(Pools, C083_FreeingAndTrimmingReturnEverything) {
  device().synchronize();
  const std::size_t free_before = device().memory_info().free;
  {
    std::vector<NDArray<int>> arrays;
    for (int i = 0; i < 50; ++i) arrays.push_back(make(1000 * (i % 7 + 1)));
    for (int i = 0; i < 50; i += 3) arrays[static_cast<std::size_t>(i * 7 % 50)] = NDArray<int>();
  }
  device().synchronize();
  device().trim();
  device().synchronize();
  EXPECT_EQ(device().memory_info().free, free_before);
}

TEST_P(Pools, ServeForeignStreamsThatEndUnannounced) {
  auto& space = device().space();
  for (int round = 0; round < 20; ++round) {
    const backend::NativeStream native = space.create_stream({});
    {
      const Stream foreign = Stream::wrap(device(), native);
      const auto block = make(3000, foreign);
      block.fill(round, foreign);
      EXPECT_EQ(block.copy_to_host(foreign).get()(2999), round);
    }
    space.synchronize_stream(native);
    space.destroy_stream(native);
  }
  const auto block = make(3000);
  block.fill(1);
  EXPECT_EQ(block.item(2999), 1);
}

TEST_P(Pools, BecomeTheDevicesOwn) {
  device().set_resource(&resource);
  const std::size_t before = resource.stats().live_blocks;
  const auto array = zeros<int>({10}, {.device = device()});
  EXPECT_EQ(resource.stats().live_blocks, before + 1);
  device().set_resource(nullptr);
  const auto other = zeros<int>({10}, {.device = device()});
  EXPECT_EQ(resource.stats().live_blocks, before + (&device().resource() == &resource ? 2 : 1));
}

TEST(CachedPool, GivesABlockBackToItsStreamAtOnce) {
  const Stream stream(device());
  MemoryResource& cached = device().pool(Pool::cached);
  cached.trim();
  const auto make = [&](index_t n) { return device_array<int>({n}, {.stream = stream, .resource = &cached}); };
  const int* const first = make(1000).data();
  EXPECT_EQ(make(1000).data(), first);
  EXPECT_EQ(make(1001).data(), first) << "sizes are rounded up by at most an eighth";
  const auto other = make(100'000);
  EXPECT_NE(other.data(), first);
}

// The host waits for no stream, so a page-locked block must not come back while a transfer still reads it.
TEST(CachedPool, KeepsHostMemoryUntilItsTransfersAreDone) {
  const Stream stream(device());
  MemoryResource& cached = device().pool(Pool::cached, MemoryKind::pinned);
  const auto target = device_array<int>({20, 50'000}, {.device = device()});
  for (int round = 0; round < 20; ++round) {
    const auto source = pinned_array<int>({50'000}, {.stream = stream, .resource = &cached});
    std::fill_n(source.data(), 50'000, round);
    target(round).copy_to_device(source, stream);
  }
  stream.synchronize();
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(target.item(round, 0), round);
    EXPECT_EQ(target.item(round, 49'999), round);
  }
}

TEST(CachedPool, ServesOtherKinds) {
  MemoryResource& cached = device().pool(Pool::cached, MemoryKind::pinned);
  for (int round = 0; round < 3; ++round) {
    const auto array = pinned_array<int>({1000}, {.device = device(), .resource = &cached});
    array(999) = round;
    EXPECT_EQ(array(999), round);
  }
  EXPECT_EQ(cached.stats().live_blocks, 0u);
}

}  // namespace
}  // namespace ferry::test
