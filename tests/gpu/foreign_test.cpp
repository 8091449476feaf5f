// Ferry beside the raw runtime in one program: streams, pointers, errors and the current device of others.
#include <thread>

#include "gpu/per_thread_loop.hpp"
#include "gpu/support.hpp"

namespace ferry::test {
namespace {

constexpr index_t n = 1 << 20;

TEST(Foreign, RawKernelsOnTheLegacyStreamAreOrderedWithoutAWait) {
  const auto a = zeros<int>({n}, {.device = device()});
  const Stream blocking(device());
  for (int round = 0; round < 5; ++round) {
    a.fill(round, blocking);
    stall(nullptr, 20);
    launch_add(nullptr, a.data(), n, 100);
    a(slice(0, 10)).fill(7, blocking);
    const auto back = a.copy_to_host();
    ASSERT_EQ(back(n - 1), round + 100);
    ASSERT_EQ(back(9), 7);
  }
}

TEST(Foreign, RawKernelsOnAForeignStreamAreOrderedByWrappingIt) {
  for (const unsigned flags : {unsigned{GPU(StreamDefault)}, unsigned{GPU(StreamNonBlocking)}}) {
    const ForeignStream foreign(flags);
    const Stream stream = Stream::wrap(device(), static_cast<GPU(Stream_t)>(foreign));
    const auto a = device_array<int>({n}, {.stream = stream});
    stall(foreign, 20);
    a.fill(1);
    stall(foreign, 20);
    launch_add(foreign, a.data(), n, 41);
    EXPECT_EQ(a.item(n - 1), 42);
    stall(foreign, 20);
    launch_add(foreign, a.data(), n, 1);
    const auto pending = a.copy_to_host(stream);
    EXPECT_FALSE(pending.ready());
    auto result = pending;
    EXPECT_EQ(result.get()(0), 43);
  }
}

TEST(Foreign, ThePerThreadDefaultStreamIsAStream) {
  const Stream stream = Stream::wrap(device(), GPU(StreamPerThread));
  const auto a = full({n}, 5, {.stream = stream});
  stall(GPU(StreamPerThread), 20);
  launch_add(GPU(StreamPerThread), a.data(), n, 1);
  EXPECT_EQ(a.copy_to_host(stream).get()(n - 1), 6);
}

// A blocking stream waits for the legacy stream, and for no thread's default stream.
TEST(Foreign, LoopsOfFilesWithPerThreadStreamsRunOnTheLegacyStream) {
  const Stream blocking(device());
  const auto a = full({n}, 1, {.device = device()});
  for (int round = 0; round < 5; ++round) {
    stall(nullptr, 20);
    add_by_loop(device(), a.device_view<1>(), 1);
    launch_add(static_cast<GPU(Stream_t)>(blocking.native()), a.data(), n, 100);
    const auto back = a.copy_to_host(blocking).get();
    ASSERT_EQ(back(0), 1 + (round + 1) * 101);
    ASSERT_EQ(back(n - 1), 1 + (round + 1) * 101);
  }
}

TEST(Foreign, LaunchRunsRawKernelsInOrder) {
  const Stream stream(device(), {.non_blocking = true});
  const auto a = full({n}, 1, {.stream = stream});
  launch(stream, [&] {
    stall(static_cast<GPU(Stream_t)>(stream.native()), 20);
    launch_add(static_cast<GPU(Stream_t)>(stream.native()), a.data(), n, 2);
  });
  EXPECT_EQ(a.copy_to_host(stream).get()(3), 3);
}

// An array that a raw kernel of another stream uses may be dropped once Ferry knows of that stream.
TEST(Foreign, UsedOnKeepsMemoryUntilARawKernelIsDone) {
  const ForeignStream foreign(GPU(StreamNonBlocking));
  const Stream stream = Stream::wrap(device(), static_cast<GPU(Stream_t)>(foreign));
  for (const Pool pool : {Pool::driver, Pool::direct, Pool::cached}) {
    const auto target = zeros<int>({n}, {.device = device()});
    {
      const auto a = full({n}, 6, {.device = device(), .resource = &device().pool(pool)});
      stall(foreign, 50);
      FERRY_GPU_OK(GPU(MemcpyAsync)(target.data(), a.data(), n * sizeof(int), GPU(MemcpyDeviceToDevice), foreign));
      a.used_on(stream);
    }
    const auto next = full({n}, 9, {.device = device(), .resource = &device().pool(pool)});
    FERRY_GPU_OK(GPU(StreamSynchronize)(foreign));
    EXPECT_EQ(target.item(n - 1), 6);
    EXPECT_EQ(target.item(0), 6);
  }
}

TEST(Foreign, PointersOfTheRuntimeAreKnownAndWrapped) {
  void *plain = nullptr, *pinned = nullptr, *managed = nullptr;
  FERRY_GPU_OK(GPU(Malloc)(&plain, 4096));
  FERRY_GPU_OK(host_malloc(&pinned, 4096));
  FERRY_GPU_OK(GPU(MallocManaged)(&managed, 4096));
  auto& space = device().space();
  EXPECT_EQ(space.query(plain).kind, MemoryKind::device);
  EXPECT_EQ(space.query(static_cast<char*>(plain) + 100).kind, MemoryKind::device);
  EXPECT_EQ(space.query(managed).kind, MemoryKind::managed);
  const auto host_kind = space.query(pinned).kind;
  EXPECT_TRUE(host_kind == MemoryKind::pinned || host_kind == MemoryKind::mapped);
  int local = 0;
  EXPECT_EQ(space.query(&local).kind, MemoryKind::pageable);
  const auto a = wrap(static_cast<int*>(plain), {16, 64}, {}, device());
  a.copy_to_device(arange<int>(1024).reshape(16, 64));
  EXPECT_EQ(a.transpose().copy().item(63, 15), 1023);
  const auto b = wrap(static_cast<int*>(managed), {1024}, {}, device());
  b.copy_to_device(a.ravel());
  EXPECT_EQ(static_cast<int*>(managed)[1023], 1023);
  FERRY_GPU_OK(GPU(Free)(plain));
  FERRY_GPU_OK(host_free(pinned));
  FERRY_GPU_OK(GPU(Free)(managed));
}

TEST(Foreign, ErrorsOfOthersAreLeftAlone) {
  void* nothing = nullptr;
  const auto a = full({100}, 1, {.device = device()});
  EXPECT_EQ(GPU(Malloc)(&nothing, std::size_t{1} << 50), GPU(ErrorMemoryAllocation));
  EXPECT_EQ(a.copy().copy_to_host()(99), 1);
  a.transpose().fill(3);
  device().synchronize();
  EXPECT_EQ(GPU(GetLastError)(), GPU(ErrorMemoryAllocation)) << "the program's own error is still there";
  EXPECT_THROW(device_array<double>({index_t{1} << 46}, {.device = device()}), OutOfMemory);
  int local = 0;
  EXPECT_THROW(device().space().deallocate(MemoryKind::device, &local, 8, nullptr), DeviceError);
  EXPECT_EQ(GPU(GetLastError)(), GPU(Success)) << "Ferry leaves none of its own";
}

TEST(Foreign, TheCurrentDeviceIsAsItWas) {
  int before = -1, after = -1;
  FERRY_GPU_OK(GPU(GetDevice)(&before));
  const auto a = full({10, 10}, 1.0, {.device = device()});
  a.transpose().copy().copy_to_host();
  FERRY_GPU_OK(GPU(GetDevice)(&after));
  EXPECT_EQ(before, after);
  std::thread([&] {  // a fresh thread's first call may be Ferry's
    EXPECT_EQ(a.item(9, 9), 1.0);
    EXPECT_EQ(a(slice(none, none, 2)).copy().copy_to_host()(0, 0), 1.0);
    int current = -1;
    EXPECT_EQ(GPU(GetDevice)(&current), GPU(Success));
    EXPECT_EQ(current, 0);
  })
      .join();
}

TEST(Foreign, PriorityAndFlagsReachTheDriver) {
  int least = 0, greatest = 0, priority = 0;
  unsigned flags = 0;
  FERRY_GPU_OK(GPU(DeviceGetStreamPriorityRange)(&least, &greatest));
  const Stream high(device(), {.non_blocking = true, .priority = -1000});
  FERRY_GPU_OK(GPU(StreamGetPriority)(static_cast<GPU(Stream_t)>(high.native()), &priority));
  FERRY_GPU_OK(GPU(StreamGetFlags)(static_cast<GPU(Stream_t)>(high.native()), &flags));
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(flags, static_cast<unsigned>(GPU(StreamNonBlocking)));
}

TEST(Foreign, EventsWithTimingMeasureTheDevice) {
  const Stream stream(device());
  const Event start = stream.record(true);
  stall(static_cast<GPU(Stream_t)>(stream.native()), 30);
  const Event stop = stream.record(true);
  EXPECT_FALSE(stop.ready());
  const float milliseconds = elapsed_ms(start, stop);
  EXPECT_GT(milliseconds, 5.0f);
  EXPECT_LT(milliseconds, 1000.0f);
}

// C068: pageable memory is never still in use on return, and nothing claims otherwise.
TEST(Foreign, C068_PageableCopiesSayThatTheyAreNotAsynchronous) {
  const Stream stream(device());
  const auto a = full({1000}, 4, {.device = device()});
  HostArray<int> pageable = host_array<int>({1000});
  const auto page_locked = pinned_array<int>({1000}, {.device = device()});
  stall(static_cast<GPU(Stream_t)>(stream.native()), 30);
  const Transfer slow = a.copy_to_host(pageable, stream);
  EXPECT_FALSE(slow.is_async());
  EXPECT_EQ(pageable(999), 4);
  stall(static_cast<GPU(Stream_t)>(stream.native()), 30);
  const Transfer quick = a.copy_to_host(page_locked, stream);
  EXPECT_TRUE(quick.is_async());
  EXPECT_FALSE(quick.ready());
  quick.wait();
  EXPECT_EQ(page_locked(999), 4);
}

}  // namespace
}  // namespace ferry::test
