// Group J: two devices of one backend, and threads that have never used any. On the simulated device, which shows what
// was done on each of them.
#include <atomic>
#include <ferry/sim.hpp>
#include <memory>
#include <thread>

#include "values.hpp"

namespace ferry::test {
namespace {

class DevicesFieldCases : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_name() != "sim") GTEST_SKIP() << "needs two devices that count what they do";
  }
  const Device zero{"sim:0"}, one{"sim:1"};

  /// What device 0 was asked to do, but for what is queued.
  std::size_t work_on_zero() const {
    zero.synchronize();
    const sim::Counts c = sim::counts(zero);
    return c.copies + c.fills + c.conversions + c.kernels + c.allocations + c.deallocations;
  }
};

TEST_F(DevicesFieldCases, C089_WorkStaysOnItsArraysDevices) {
  const auto host = arange<int>(24).reshape({4, 6});
  const std::vector<int> expected = values(host(slice(none, none, 2), slice(none, none, 2)));
  for (const auto& [from, to] : {std::pair{zero, one}, {one, zero}}) {
    const auto source = to_device(host, {.device = from});
    const auto target = device_array<int>({2, 3}, {.device = to});
    target.copy_to_device(source(slice(none, none, 2), slice(none, none, 2)));
    EXPECT_EQ(values(target), expected);
    EXPECT_EQ(target.device(), to);
  }
  const std::size_t before = work_on_zero();
  const auto only_one = to_device(host, {.device = one});
  EXPECT_EQ(values(only_one.copy()), values(host));
  EXPECT_EQ(work_on_zero(), before) << "device 0 has no part in this";
}

TEST_F(DevicesFieldCases, C090_PeerCopyOfAStridedArray) {
  auto matrix = zeros<std::int64_t>({4, 6}, {.device = zero});
  const auto view = matrix(slice(none, none, 2), slice(none, none, 2));
  EXPECT_EQ(view.strides(), (Strides{96, 16}));
  view.assign(arange<std::int64_t>(6).reshape({2, 3}));
  const auto there = device_array<std::int64_t>({2, 3}, {.device = one});
  there.copy_to_device(view);
  EXPECT_EQ(values(there), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST_F(DevicesFieldCases, C092_ThreadsKeepToTheirOwnDevices) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Device mine = t % 2 == 0 ? zero : one;
      for (int i = 0; i < 200; ++i) {
        const auto array = full<int>({50}, t, {.device = mine});
        if (!(array.device() == mine) || array.item(49) != t) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(DevicesFieldCases, C093_AFreshThreadUsesTheArraysDevice) {
  auto array = std::make_unique<NDArray<int>>(to_device(arange<int>(100), {.device = one}));
  const std::size_t before = work_on_zero();
  std::thread([&] {
    EXPECT_EQ(values(*array)[99], 99);
    EXPECT_EQ(values((*array)(slice(1, 90, 3)))[2], 7);
    array.reset();
  }).join();
  one.synchronize();
  EXPECT_EQ(work_on_zero(), before);
}

TEST_F(DevicesFieldCases, C074_KernelWritesAreSeenAfterASync) {
  const Stream stream(one);
  const auto mapped = mapped_array<int>({100}, {.device = one});
  mapped.fill(0);
  for_each_index(stream, {100}, reads(), writes(mapped.device()),
                 [v = mapped.device().device_view<1>()](index_t i) { v(i) = 5; });
  stream.synchronize();
  EXPECT_EQ(values(mapped.host()), std::vector<int>(100, 5));
}

}  // namespace
}  // namespace ferry::test
