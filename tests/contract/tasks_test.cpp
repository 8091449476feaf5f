// What run() promises, on devices that execute host code; the order of work can be seen there itself.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "contract/contract.hpp"

namespace ferry::test {

// Appends to a log when its turn comes: on devices that run host code, the order itself can be seen.
class ContractTasks : public Contract {
 protected:
  void SetUp() override {
    if (!space.capabilities().runs_tasks) GTEST_SKIP() << GetParam() << " does not run host code";
  }
  void log_on(NativeStream stream, int what) {
    space.run(Task([this, what] { log.push_back(what); }), stream);
  }
  /// The texts of what it throws: one or none.
  template <class F>
  static std::vector<std::string> failures_of(F&& f) {
    try {
      f();
    } catch (const std::exception& error) {
      return {error.what()};
    }
    return {};
  }
  std::vector<int> log;
};
FERRY_CONTRACT(ContractTasks);

TEST_P(ContractTasks, RunInStreamOrderOnceEach) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  for (int i = 0; i < 100; ++i) log_on(stream, i);
  space.synchronize_stream(stream);
  ASSERT_EQ(log.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(log[static_cast<std::size_t>(i)], i);
}

TEST_P(ContractTasks, EventsAndTheLegacyStreamOrderThem) {
  Streams streams(space);
  const NativeStream a = streams.stream(), b = streams.stream(), free = streams.stream(true);
  const NativeEvent event = streams.event();
  log_on(a, 1);
  space.record(event, a);
  space.wait(free, event);
  log_on(free, 2);
  space.record(event, free);
  space.wait(b, event);
  log_on(b, 3);
  log_on(nullptr, 4);
  log_on(a, 5);
  space.synchronize_stream(a);
  space.synchronize_device();
  EXPECT_EQ(log, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST_P(ContractTasks, DestroyWhatTheyCapturedOnce) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const auto counted = std::make_shared<int>(0);
  space.run(Task([counted] { ++*counted; }), stream);
  space.synchronize_stream(stream);
  EXPECT_EQ(*counted, 1);
  EXPECT_EQ(counted.use_count(), 1);
}

TEST_P(ContractTasks, TheLegacyStreamIsAFenceBothWays) {
  Streams streams(space);
  const NativeStream a = streams.stream(), b = streams.stream();
  log_on(a, 1);
  log_on(nullptr, 2);
  log_on(b, 3);
  space.synchronize_stream(b);
  EXPECT_EQ(log, (std::vector<int>{1, 2, 3}));
  log.clear();
  log_on(b, 4);
  log_on(nullptr, 5);
  space.synchronize_stream(nullptr);
  EXPECT_EQ(log, (std::vector<int>{4, 5}));
}

TEST_P(ContractTasks, DestroyTheirCaptureWhenTheyThrowOrTheirStreamIsGone) {
  const auto counted = std::make_shared<int>(0);
  const NativeStream stream = space.create_stream({});
  failures_of([&] {
    space.run(Task([counted] {
                ++*counted;
                throw IndexError("from a kernel");
              }),
              stream);
  });
  space.run(Task([counted] { ++*counted; }), stream);
  space.destroy_stream(stream);
  failures_of([&] { space.synchronize_device(); });
  EXPECT_EQ(*counted, 2);
  EXPECT_EQ(counted.use_count(), 1);
}

// An array that a kernel captures gives its memory back when the kernel is done with.
TEST_P(ContractTasks, MayCaptureWhatCallsTheDeviceInItsDestructor) {
  struct Owner {
    MemorySpace* space;
    NativeStream stream;
    void* memory;
    Owner(MemorySpace& s, NativeStream on)
        : space(&s), stream(on), memory(s.allocate(MemoryKind::device, 64, {}, on)) {}
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() {
      space->synchronize_stream(stream);
      space->deallocate(MemoryKind::device, memory, 64, stream);
    }
  };
  Streams streams(space);
  const NativeStream stream = streams.stream();
  space.synchronize_device();  // what earlier tests gave back may still be queued
  const std::size_t free_before = space.memory_info().free;
  for (int i = 0; i < 4; ++i) {
    auto owner = std::make_shared<Owner>(space, stream);
    space.run(Task([this, i, owner = std::move(owner)] { log.push_back(i); }), stream);
    log_on(stream, 10 + i);
  }
  space.synchronize_stream(stream);
  space.synchronize_device();
  EXPECT_EQ(log, (std::vector<int>{0, 10, 1, 11, 2, 12, 3, 13}));
  EXPECT_EQ(space.memory_info().free, free_before);
}

// Run and waited for, a failing task makes exactly one call fail.
TEST_P(ContractTasks, WhatTheyThrowComesOutOnceWhereSomebodyWaits) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const NativeEvent event = streams.event();
  const auto waits = {std::pair{"stream", 0}, {"event", 1}, {"device", 2}, {"another stream", 3}, {"polls first", 4}};
  for (const auto& [how, way] : waits) {
    log.clear();
    std::vector<std::string> failures =
        failures_of([&] { space.run(Task([] { throw IndexError("from a kernel"); }), stream); });
    log_on(stream, 1);  // later work runs all the same
    space.record(event, stream);
    const NativeStream other = streams.stream(true);
    space.wait(other, event);
    const auto wait = [&, way = way] {
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (way == 4 && !space.is_stream_done(stream)) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      if (way == 0 || way == 4) space.synchronize_stream(stream);
      if (way == 1) space.synchronize_event(event);
      if (way == 2) space.synchronize_device();
      if (way == 3) space.synchronize_stream(other);
    };
    for (const std::string& text : failures_of(wait)) failures.push_back(text);
    EXPECT_EQ(failures, std::vector<std::string>{"from a kernel"}) << how;
    EXPECT_EQ(log, std::vector<int>{1}) << how;
    EXPECT_TRUE(failures_of([&] { space.synchronize_device(); }).empty()) << how;
  }
}

TEST_P(ContractTasks, ForeignExceptionsBecomeDeviceErrors) {
  Streams streams(space);
  const NativeStream stream = streams.stream();
  const auto run = [&](auto task) {
    space.run(Task(std::move(task)), stream);
    space.synchronize_stream(stream);
  };
  try {
    run([] { throw std::runtime_error("from a kernel"); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("from a kernel"), std::string::npos);
    EXPECT_FALSE(error.fatal());
  }
  EXPECT_THROW(run([] { throw 7; }), DeviceError);
  EXPECT_NO_THROW(run([] {}));
}

// A dead handle is found out where handles are Ferry's own; a vendor's driver may crash on one.
TEST_P(ContractTasks, DeadHandlesAreRefused) {
  const Block block(space, 10);
  const std::byte value{};
  const NativeStream dead = space.create_stream({});
  space.destroy_stream(dead);
  const NativeStream alive = space.create_stream({});
  const NativeEvent dead_event = space.create_event(true), event = space.create_event(true);
  space.destroy_event(dead_event);
  EXPECT_EQ(error_code([&] { space.allocate(MemoryKind::device, 8, {}, dead); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.copy(block.get(), &value, 1, dead); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.copy_pitched(block.get(), 1, &value, 1, 1, 1, dead); }), invalid_handle);
  EXPECT_EQ(error_code([&] {
              space.copy_strided({block.get(), block.get() + 1, 1, {}, {}, {}}, dead);
            }),
            invalid_handle);
  EXPECT_EQ(error_code([&] { fill(block.get(), 1, 1, dead); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.run(Task([] {}), dead); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.synchronize_stream(dead); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.is_stream_done(dead); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.record(event, dead); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.wait(dead, event); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.record(dead_event, alive); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.wait(alive, dead_event); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.is_event_done(dead_event); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.synchronize_event(dead_event); }), invalid_handle);
  EXPECT_EQ(error_code([&] { space.elapsed_ms(event, dead_event); }), invalid_handle);
  space.destroy_event(event);
  space.destroy_stream(alive);
}

TEST_P(ContractTasks, ReachDeviceMemory) {
  const Block block(space, 100);
  upload(block.get(), iota(100));
  std::byte* const at = block.get();
  space.run(Task([at] {
              for (int i = 0; i < 100; ++i) at[i] = static_cast<std::byte>(static_cast<int>(at[i]) * 2);
            }),
            nullptr);
  EXPECT_EQ(download(block.get(), 100)[99], 198);
}

}  // namespace ferry::test
