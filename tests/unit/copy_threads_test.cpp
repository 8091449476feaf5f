// The threads that large copies share: as many as asked for, for one copy at a time, and none left in flight by errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ferry/copy_threads.hpp>
#include <ferry/ferry.hpp>
#include <ferry/sim.hpp>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

#include "support/test_device.hpp"

namespace ferry::test {

namespace {

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

HostArray<int> matrix(index_t rows, index_t columns) {
  return arange<int>(rows * columns).reshape(rows, columns);
}

/// Whether the sizes of the copy engine are such that small arrays go in many chunks: see *.route_*.
bool has_small_chunks() {
  const char* const tuning = std::getenv("FERRY_COPY_TUNING");
  return tuning != nullptr && std::strstr(tuning, "chunk=") != nullptr;
}

class CopyThreads : public ::testing::Test {
 protected:
  void TearDown() override { set_copy_threads(before_); }

 private:
  int before_ = copy_threads();
};

TEST_F(CopyThreads, NeverMoreThanAsked) {
  set_copy_threads(1);
  const std::ptrdiff_t alone = threads_of_this_process();
  for (const int threads : {1, 3, 2, 1}) {
    set_copy_threads(threads);
    EXPECT_EQ(copy_threads(), threads);
    const auto source = matrix(1000, 999);
    EXPECT_TRUE(array_equal(source.transpose().copy().transpose(), source));
    if (std::getenv("FERRY_COPY_TUNING") == nullptr) {
      EXPECT_EQ(threads_of_this_process(), alone + threads - 1);
    } else {  // a copy may be too small to be shared
      EXPECT_LE(threads_of_this_process(), alone + threads - 1);
    }
  }
}

TEST_F(CopyThreads, LessThanOneIsRefused) {
  set_copy_threads(2);
  EXPECT_THROW(set_copy_threads(0), IndexError);
  EXPECT_THROW(set_copy_threads(-5), IndexError);
  EXPECT_EQ(copy_threads(), 2);
}

TEST_F(CopyThreads, CopiesOfSeveralThreadsAtATime) {
  set_copy_threads(3);
  std::array<bool, 4> good{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < good.size(); ++t) {
    threads.emplace_back([&good, t] {
      good[t] = true;
      for (int round = 0; round < 5; ++round) {
        const auto source = matrix(700 + static_cast<index_t>(t), 601);
        good[t] = good[t] && array_equal(source.transpose().copy().transpose(), source);
      }
    });
  }
  for (int change = 0; change < 20; ++change) set_copy_threads(1 + change % 3);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(good.begin(), good.end(), true), 4);
}

TEST_F(CopyThreads, TransfersOfAnyOrderAndBack) {
  set_copy_threads(3);
  const Device device = test::device();
  const Stream stream(device);
  const auto source = has_small_chunks() ? matrix(151, 143) : matrix(1501, 1403);
  const auto views = {source, source.transpose(), source.view(slice(), slice(none, none, 2)),
                      source.view(slice(none, none, -1), slice(3, -7))};
  for (const HostArray<int>& from : views) {
    const auto there = to_device(from, {.stream = stream});
    EXPECT_TRUE(array_equal(there.copy_to_host(stream).get(), from));
    const auto target = host_array<int>(from.shape());
    there.copy_to_host(target, stream).wait();
    EXPECT_TRUE(array_equal(target, from));
    there.transpose().copy_to_host(target.transpose(), stream).wait();
    EXPECT_TRUE(array_equal(target, from));
  }
}

// A transfer of several chunks of which a later one fails: the error comes out when nothing is in flight any more, and
// the next one is right.
TEST_F(CopyThreads, ATransferThatFailsHalfwayLeavesNothingInFlight) {
  if (!device_name().starts_with("sim")) GTEST_SKIP() << "needs a device whose copies can be made to fail";
  if (!has_small_chunks()) GTEST_SKIP() << "needs a copy of several chunks";
  for (const int threads : {1, 3}) {
    set_copy_threads(threads);
    const Device device = test::device();
    const Stream stream(device);
    const auto source = matrix(70, 71);
    const auto view = source.transpose();
    const auto target = device_array<int>(view.shape(), {.stream = stream});
    sim::fail_copy(device, 3);
    EXPECT_THROW(target.assign(view, stream), DeviceError);
    source(0, 0) = -1;  // nobody reads it any more, or the simulated device says so
    target.assign(view, stream);
    sim::fail_copy(device, 3);
    const auto back = host_array<int>(view.shape());
    EXPECT_THROW(target.copy_to_host(back, stream), DeviceError);
    back(0, 0) = -2;
    target.copy_to_host(back, stream).wait();
    EXPECT_TRUE(array_equal(back, view));
  }
}

}  // namespace

}  // namespace ferry::test
