// The report of live memory: on request, and at the end of the process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "ferry/ferry.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

LiveMemory live(const std::string& label, MemoryKind kind) {
  for (const LiveMemory& one : live_memory()) {
    if (one.label == label && one.kind == kind) return one;
  }
  return {label, kind, 0, 0};
}

TEST(LiveMemory, CountsByLabelAndKind) {
  const Alloc named{.device = device(), .label = "velocity"};
  std::optional<NDArray<float>> a = device_array<float>({100}, named);
  const auto b = device_array<float>({10}, named);
  const auto c = pinned_array<float>({5}, named);
  const auto view = b(slice(2));  // a view is no block of its own
  EXPECT_EQ(live("velocity", MemoryKind::device), (LiveMemory{"velocity", MemoryKind::device, 2, 440}));
  EXPECT_EQ(live("velocity", MemoryKind::pinned), (LiveMemory{"velocity", MemoryKind::pinned, 1, 20}));
  a.reset();
  EXPECT_EQ(live("velocity", MemoryKind::device), (LiveMemory{"velocity", MemoryKind::device, 1, 40}));
}

TEST(LiveMemory, CountsWhatHasNoLabelByKind) {
  for (const MemoryKind kind : {MemoryKind::pageable, MemoryKind::mapped, MemoryKind::managed, MemoryKind::device}) {
    const LiveMemory before = live("", kind);
    {
      const auto a = host_array<char>({7});
      const auto b = mapped_array<char>({7}, {.device = device(), .portable = true});
      const auto c = managed_array<char>({7}, {.device = device()});
      const auto d = device_array<char>({7}, {.device = device()});
      const auto empty = device_array<char>({0}, {.device = device()});
      const auto foreign = host_view(a.data(), {7});
      EXPECT_EQ(live("", kind).blocks, before.blocks + 1) << to_string(kind);
      EXPECT_EQ(live("", kind).bytes, before.bytes + 7) << to_string(kind);
    }
    EXPECT_EQ(live("", kind), before) << to_string(kind);
  }
}

TEST(LiveMemory, ARefusedAllocationIsNotCounted) {
  const auto before = live_memory();
  EXPECT_THROW(device_array<char>({1LL << 50}, {.device = device()}), OutOfMemory);
  EXPECT_THROW(device_array<char>({1LL << 50}, {.device = device(), .label = "huge"}), OutOfMemory);
  EXPECT_EQ(live_memory(), before);
}

TEST(LiveMemory, ReportsTheLargestFirst) {
  const auto small = device_array<char>({1001}, {.device = device(), .label = "small"});
  const auto large = device_array<char>({1002}, {.device = device(), .label = "large"});
  const std::string report = live_memory_report();
  const auto at = report.find("  large: 1 block of device memory, 1002 bytes\n");
  ASSERT_NE(at, std::string::npos) << report;
  EXPECT_LT(at, report.find("  small: 1 block of device memory, 1001 bytes\n"));
}

// Reachable to the end, so that the compiler's own leak checker does not complain first.
NDArray<char>* volatile lost = nullptr;

// Runs in a process of its own, which ends there.
[[noreturn]] void leak_and_exit(const char* variable) {
  if (variable == nullptr) {
    ::unsetenv("FERRY_LEAK_REPORT");
  } else {
    ::setenv("FERRY_LEAK_REPORT", variable, 1);
  }
  const Device host("host");
  static const auto of_static_lifetime = device_array<char>({100}, {.device = host, .label = "static"});
  lost = new NDArray<char>(device_array<char>({123}, {.device = host, .label = "lost"}));
  std::exit(0);
}

TEST(LiveMemoryDeathTest, ReportsAtExitWhenAskedForAndLeavesOutArraysOfStaticLifetime) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(leak_and_exit("1"), ::testing::ExitedWithCode(0),
              "^ferry: memory still in use at exit:\n  lost: 1 block of device memory, 123 bytes\n$");
}

TEST(LiveMemoryDeathTest, IsSilentOtherwise) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(leak_and_exit(nullptr), ::testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(leak_and_exit("0"), ::testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace ferry::test
