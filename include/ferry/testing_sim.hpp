// For GoogleTest binaries: runs every test under each schedule of the simulated device. Opt-in, so that Ferry itself
// needs no GoogleTest.
//
//   #include <ferry/testing_sim.hpp>
//   FERRY_TEST_UNDER_ALL_SCHEDULES();   // in one source file, outside of any function; any main() will do
//
// Where FERRY_DEVICE names no simulated device, the tests run once, as they would without it.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ferry/config.hpp"
#include "ferry/sim.hpp"

namespace ferry::inline v0::testing {

/// Sets the schedule before each round of the tests, and asks GoogleTest for as many rounds as there are schedules. A
/// repeat count on the command line counts rounds, so that --gtest_repeat=6 runs every test twice under each of three.
class AllSchedules final : public ::testing::EmptyTestEventListener {
 public:
  /// GoogleTest owns what this makes. To be called before the tests are run.
  static bool install(std::vector<std::string> schedules = {"eager", "lazy", "random:1"}) {
    const char* const device = std::getenv("FERRY_DEVICE");
    if (device == nullptr || !std::string_view(device).starts_with("sim")) return false;
    ::testing::UnitTest::GetInstance()->listeners().Append(new AllSchedules(std::move(schedules)));
    return true;
  }

 private:
  // A death test that starts its own process there goes on with the schedule of the round that it belongs to.
  static constexpr const char* round_variable = "FERRY_SIM_ROUND";

  explicit AllSchedules(std::vector<std::string> schedules) : schedules_(std::move(schedules)) {
    if (const char* text = std::getenv(round_variable)) first_ = std::strtoul(text, nullptr, 10);
  }
  // Not earlier: the flag may not have been initialised when this was made. Whoever asks for another number gets it.
  void OnTestProgramStart(const ::testing::UnitTest&) override {
    if (::testing::FLAGS_gtest_repeat == 1) ::testing::FLAGS_gtest_repeat = static_cast<int>(schedules_.size());
  }
  void OnTestIterationStart(const ::testing::UnitTest&, int iteration) override {
    const std::size_t round = first_ + static_cast<std::size_t>(iteration);
    const std::string& schedule = schedules_[round % schedules_.size()];
    sim::set_schedule(schedule);
    ::setenv(round_variable, std::to_string(round).c_str(), 1);
    std::printf("[ schedule ] %s\n", schedule.c_str());
  }

  std::vector<std::string> schedules_;
  std::size_t first_ = 0;
};

}  // namespace ferry::inline v0::testing

/// Every test of this program, under eager, lazy and one random schedule; others are given as a list of texts.
#define FERRY_TEST_UNDER_ALL_SCHEDULES(...)                           \
  [[maybe_unused]] static const bool ferry_test_under_all_schedules = \
      ::ferry::testing::AllSchedules::install(__VA_ARGS__)
