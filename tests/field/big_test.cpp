// Group D: more than 2^32 bytes. On the host only, since a simulated device is small, and never more than 4.5 GiB at
// once. Big inputs come from views that repeat a small array, so that only one side takes memory.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "support/loops.hpp"
#include "values.hpp"

namespace ferry::test {
namespace {

constexpr index_t kGiB = 1LL << 30;

// What the system can still give out, in bytes; 0 when it does not say.
index_t available_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string name; info >> name; info.ignore(256, '\n')) {
    index_t kibibytes = 0;
    if (name == "MemAvailable:" && info >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

// Ends the process when a loop whose counter wrapped around would run for ever.
class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds limit) : thread_([this, limit] { watch(limit); }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void watch(std::chrono::seconds limit) {
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, limit, [this] { return done_; })) return;
    std::fputs("the big case did not finish in time\n", stderr);
    std::abort();
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

class BigFieldCases : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_name() != "host") GTEST_SKIP() << "needs more memory than " << device_name() << " has";
    if (available_memory() < 6 * kGiB) GTEST_SKIP() << "needs 6 GiB of free memory";
  }
};

constexpr index_t kWrapping = (1LL << 32) - 127;  // 33,554,432 blocks of 128: their product is exactly 2^32

TEST_F(BigFieldCases, C034_FillAndCopyOfAlmost2To32Elements) {
  const Watchdog watchdog(std::chrono::seconds(60));
  const auto array = full<std::uint8_t>({kWrapping}, 1, {.device = device()});
  const std::uint8_t* bytes = array.data();
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[1LL << 31], 1);
  EXPECT_EQ(bytes[kWrapping - 1], 1);
  array(slice(-1)).reshape({-1, 128}, Order::C, Copy::never).assign(iota<std::uint8_t>({128}));
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[(1LL << 31) + 5], 5);
  EXPECT_EQ(bytes[kWrapping - 2], 127);
  EXPECT_EQ(bytes[kWrapping - 1], 1);
}

TEST_F(BigFieldCases, C034_StridedCopyOfAlmost2To32Elements) {
  const Watchdog watchdog(std::chrono::seconds(60));
  const auto array = device_array<std::uint8_t>({kWrapping}, {.device = device()});
  // Windows of 65,535 elements, each one element further: (i, j) holds i + j, 8 bits of it.
  const auto source = iota<std::uint8_t>({2 * 65'535}).as_strided({65'536, 65'535}, {1, 1});
  static_assert(65'536LL * 65'535 < kWrapping);
  array(slice(source.size())).reshape({65'536, 65'535}, Order::C, Copy::never).copy_to_device(source);
  const std::uint8_t* bytes = array.data();
  const auto expected = [](index_t at) { return static_cast<std::uint8_t>(at / 65'535 + at % 65'535); };
  for (const index_t at : Dims{0, 65'535, 1LL << 31, (1LL << 31) + 1, source.size() - 1}) {
    EXPECT_EQ(bytes[at], expected(at)) << at;
  }
  // Every 128th of them, one from each block.
  const auto picked = array(slice(none, source.size(), 128)).copy_to_host();
  for (index_t i = 0; i < picked.size(); i += 4'099) ASSERT_EQ(picked.data()[i], expected(128 * i)) << i;
  EXPECT_EQ(picked.data()[picked.size() - 1], expected(128 * (picked.size() - 1)));
}

// More than 2^31 elements on both sides of one copy.
TEST_F(BigFieldCases, C034_CopyOfMoreThan2To31Elements) {
  constexpr index_t n = (1LL << 31) + 129;
  const Watchdog watchdog(std::chrono::seconds(60));
  const auto array = full<std::uint8_t>({n}, 3, {.device = device()});
  array(slice(-2, none)).copy_to_device(std::vector<std::uint8_t>{4, 5});
  const auto copy = array.copy();
  const std::uint8_t* bytes = copy.data();
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(bytes[1LL << 31], 3);
  EXPECT_EQ(bytes[n - 2], 4);
  EXPECT_EQ(bytes[n - 1], 5);
}

template <class T>
void check_sizes(index_t n) {
  const auto array = device_array<T>({n}, {.device = device()});
  EXPECT_EQ(array.size(), n);
  EXPECT_EQ(array.nbytes(), n);
  EXPECT_EQ(array.reshape(-1).shape(), (Shape{n}));
  EXPECT_EQ(array.reshape(2, -1).shape(), (Shape{2, n / 2}));
  const auto halves = array_split(array, 2);
  ASSERT_EQ(halves.size(), 2u);
  EXPECT_EQ(halves[0].size(), n / 2);
  EXPECT_EQ(halves[1].size(), n / 2);
  EXPECT_EQ(halves[1].data() - array.data(), n / 2);
  EXPECT_EQ(array.split(n / 2).size(), 2u);
  array(slice(16)).copy_to_device(arange<T>(16));
  array(slice(-16, none)).copy_to_device(arange<T>(32)(slice(16, none)));
  EXPECT_EQ(array(slice(16)).copy_to_host(), arange<T>(16));
  EXPECT_EQ(halves[1](slice(-16, none)).copy_to_host(), arange<T>(32)(slice(16, none)));
}

TEST_F(BigFieldCases, C035_SizeOf2To32Bytes) {
  check_sizes<std::uint8_t>(1LL << 32);
}
TEST_F(BigFieldCases, C035_SizeOf2To31SignedBytes) {
  check_sizes<std::int8_t>(1LL << 31);
}

constexpr index_t kEdge = 1291;  // its cube is the first above 2^31

TEST_F(BigFieldCases, C038_FillReachesEveryCell) {
  const auto box = zeros<std::uint8_t>({kEdge, kEdge, kEdge}, {.device = device()});
  box.fill(1);
  EXPECT_EQ(box.size() - std::count(box.data(), box.data() + box.size(), std::uint8_t{0}), 2'151'685'171);
}

TEST_F(BigFieldCases, C038_LoopReachesEveryCell) {
  const auto box = zeros<std::uint8_t>({kEdge, kEdge, kEdge}, {.device = device()});
  set_each(box.device_view<3>(), 2);
  EXPECT_EQ(std::count(box.data(), box.data() + box.size(), std::uint8_t{2}), 2'151'685'171);
}

}  // namespace
}  // namespace ferry::test
