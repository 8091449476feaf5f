// A user's test binary: it links ferry::ferry and GoogleTest's own main(), and is told by the environment where to run.
#include <ferry/ferry.hpp>
#include <ferry/testing_sim.hpp>
#include <string>
#include <vector>

FERRY_TEST_UNDER_ALL_SCHEDULES();

namespace {

std::vector<std::string> seen;

TEST(AllSchedules, RunEveryTestOnce) {
  seen.push_back(ferry::sim::schedule());
  const std::vector<std::string> all = {"eager", "lazy", "random:1"};
  ASSERT_LE(seen.size(), all.size());
  EXPECT_EQ(seen.back(), all[seen.size() - 1]);
  const auto array = ferry::full<int>({10}, 3);
  EXPECT_EQ(array.device().name(), "sim:0");
  EXPECT_EQ(array.item(9), 3);
}

// The test of the guide "Test GPU memory code without a GPU": it forgets to wait.
TEST(AllSchedulesDeathTest, ABugIsFoundUnderEach) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto read_too_early = [] {
    const ferry::Stream stream(ferry::default_device());
    const auto sums = ferry::full<double>({8}, 1.5, {.stream = stream});
    const auto host = ferry::pinned_array<double>({8}, {.label = "sums"});
    const ferry::Transfer done = sums.copy_to_host(host, stream);
    if (host(0) != 1.5) std::printf("wrong\n");
    done.wait();
  };
  EXPECT_DEATH(read_too_early(), "the host reads byte 0 of 'sums'.*while it is in flight");
}

}  // namespace
