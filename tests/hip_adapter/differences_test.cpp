// What differs on AMD, as the backend asks for it from the runtime.
#include "hip_adapter/differences.hpp"

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <ferry/ferry.hpp>
#include <ferry/memory_resource.hpp>
#include <string>
#include <vector>

#include "backends/hip/vendor.hpp"
#include "support/test_device.hpp"

namespace ferry::test {
namespace {

using hip_adapter::calls;
using hip_adapter::differences;
using hip_adapter::known;

/// The one of these bits that an allocation was asked for with.
unsigned grain_of(const void* address) {
  return known(address).flags & (hipHostMallocCoherent | hipHostMallocNonCoherent);
}

TEST(Grain, PageLockedMemoryIsCoarseUnlessAskedOtherwise) {
  const auto mapped = mapped_array<float>({100}, {.device = device()});
  const auto portable = mapped_array<float>({100}, {.device = device(), .portable = true});
  const auto fine = mapped_array<float>({100}, {.device = device(), .fine_grained = true});
  EXPECT_EQ(grain_of(mapped.host().data()), hipHostMallocNonCoherent);
  EXPECT_EQ(grain_of(portable.host().data()), hipHostMallocNonCoherent);
  EXPECT_EQ(grain_of(fine.host().data()), hipHostMallocCoherent);
  const auto pinned = pinned_array<float>({100}, {.device = device()});
  DirectResource resource(device().space(), MemoryKind::pinned, {.fine_grained = true});
  const auto pinned_fine = pinned_array<float>({100}, {.device = device(), .resource = &resource});
  EXPECT_EQ(grain_of(pinned.data()), hipHostMallocNonCoherent);
  EXPECT_EQ(grain_of(pinned_fine.data()), hipHostMallocCoherent);
}

TEST(Grain, ManagedMemoryIsAdvisedToBeCoarseAndFreedWithoutTheAdvice) {
  DirectResource resource(device().space(), MemoryKind::managed, {.fine_grained = true});
  {
    const auto coarse = managed_array<double>({100}, {.device = device()});
    const auto fine = managed_array<double>({100}, {.device = device(), .resource = &resource});
    EXPECT_TRUE(known(coarse.host().data()).coarse_advice);
    EXPECT_TRUE(known(fine.host().data()).found);
    EXPECT_FALSE(known(fine.host().data()).coarse_advice);
  }
  // The adapter refuses to free memory that is still advised; a failed free would be counted as live.
  EXPECT_EQ(resource.stats().live_blocks, 0u);
  EXPECT_EQ(device().pool(Pool::direct, MemoryKind::managed).stats().live_blocks, 0u);
}

TEST(Grain, RegistrationsAreCoarse) {
  if (differences().no_registration) GTEST_SKIP();
  alignas(4096) static std::byte page[4096];
  device().space().register_host(page, sizeof page, {});
  EXPECT_NE(known(page).flags & hipExtHostRegisterCoarseGrained, 0u);
  device().space().unregister_host(page);
  device().space().register_host(page, sizeof page, {.fine_grained = true});
  EXPECT_EQ(known(page).flags & hipExtHostRegisterCoarseGrained, 0u);
  device().space().unregister_host(page);
}

bool wants_pool() {
  const char* text = std::getenv("FERRY_HIP_MALLOC_ASYNC");
  return text != nullptr && *text == '1' && !differences().no_async_malloc;
}

TEST(AsyncMalloc, IsUsedOnlyWhereAskedForOrSound) {
  EXPECT_EQ(device().space().capabilities().pooled, wants_pool());
  const auto before = calls();
  const auto plain = device_array<int>({1000}, {.device = device(), .resource = &device().pool(Pool::direct)});
  EXPECT_EQ(calls().malloc, before.malloc + 1) << "as MPI needs it, whatever the knob says";
  EXPECT_EQ(calls().malloc_from_pool, before.malloc_from_pool);
  const auto pooled = full({1000}, 3, {.device = device(), .resource = &device().pool(Pool::driver)});
  EXPECT_EQ(calls().malloc_from_pool, before.malloc_from_pool + (wants_pool() ? 1 : 0));
  EXPECT_EQ(calls().malloc, before.malloc + (wants_pool() && !differences().async_out_of_memory ? 1 : 2))
      << "where the pool has nothing left, a plain allocation may have";
  EXPECT_EQ(pooled.item(999), 3);
}

TEST(AsyncMalloc, MemoryGoesBackTheWayItCame) {
  MemoryResource& resource = device().pool(Pool::driver);
  full({1 << 16}, 0, {.device = device(), .resource = &resource});  // what the first use costs is not given back
  device().synchronize();
  const std::size_t free_before = device().memory_info().free, live_before = resource.stats().live_blocks;
  for (int i = 0; i < 20; ++i) full({1 << 16}, i, {.device = device(), .resource = &resource});
  device().synchronize();
  EXPECT_EQ(resource.stats().live_blocks, live_before);
  EXPECT_EQ(device().memory_info().free, free_before);
}

TEST(AsyncMalloc, TheKnobTakesTwoValuesAndElseTheVersionDecides) {
  const char* const text = std::getenv("FERRY_HIP_MALLOC_ASYNC");
  const std::string kept = text != nullptr ? text : "";
  setenv("FERRY_HIP_MALLOC_ASYNC", "1", 1);
  EXPECT_TRUE(backend::gpu::is_pool_sound());
  setenv("FERRY_HIP_MALLOC_ASYNC", "0", 1);
  EXPECT_FALSE(backend::gpu::is_pool_sound());
  setenv("FERRY_HIP_MALLOC_ASYNC", "yes", 1);
  EXPECT_THROW(static_cast<void>(backend::gpu::is_pool_sound()), Error);
  setenv("FERRY_HIP_MALLOC_ASYNC", "", 1);
  EXPECT_EQ(backend::gpu::is_pool_sound(), HIP_VERSION_MAJOR == 6);
  setenv("FERRY_HIP_MALLOC_ASYNC", kept.c_str(), 1);
}

TEST(Xnack, IsReported) {
  const std::string text = device().space().description();
  EXPECT_NE(text.find("gfx90a"), std::string::npos) << text;
  EXPECT_NE(text.find(differences().xnack_off ? "XNACK off" : "XNACK on"), std::string::npos) << text;
  const auto managed = managed_array<int>({1000}, {.device = device()});  // works either way
  managed.fill(4);
  EXPECT_EQ(managed.host()(999), 4);
}

TEST(Registration, RefusedOrNotArraysCanBeCopied) {
  HostArray<int> array = host_array<int>({5000});
  const auto d = full({5000}, 8, {.device = device()});
  if (differences().no_registration) {
    try {
      const auto scope = pinned({.device = device()}, array);
      FAIL() << "the runtime refuses";
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.code(), static_cast<int>(hipErrorOutOfMemory));
      EXPECT_NE(std::string(error.what()).find("lock less, or copy without locking"), std::string::npos)
          << error.what();
    }
    EXPECT_EQ(device().space().query(array.data()).kind, MemoryKind::pageable);
    EXPECT_EQ(hipGetLastError(), hipSuccess) << "Ferry leaves no error of its own";
    d.copy_to_host(array);
  } else {
    const auto scope = pinned({.device = device()}, array);
    EXPECT_NE(device().space().query(array.data()).kind, MemoryKind::pageable);
    d.copy_to_host(array);
  }
  EXPECT_EQ(array(4999), 8);
}

// C013: the runtime refuses pitched copies of more than about a million rows.
TEST(Pitched, C013_MillionsOfRowsAreCopiedInPieces) {
  constexpr std::size_t rows = 2'100'000;
  auto& space = device().space();
  std::vector<std::uint8_t> there(rows * 2), back(rows * 2, 0);
  for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<std::uint8_t>(i % 251);
  const std::size_t bytes = rows * 4;
  void* const memory = space.allocate(MemoryKind::device, bytes, {}, nullptr);
  const std::size_t before = calls().memcpy_2d;
  space.copy_pitched(memory, 4, there.data(), 2, 2, rows, nullptr);
  EXPECT_EQ(calls().memcpy_2d, before + (rows + (std::size_t{1} << 19) - 1) / (std::size_t{1} << 19));
  space.copy_pitched(back.data(), 2, memory, 4, 2, rows, nullptr);
  space.synchronize_stream(nullptr);
  EXPECT_EQ(there, back);
  space.deallocate(MemoryKind::device, memory, bytes, nullptr);
}

TEST(Streams, ThePerThreadDefaultStreamIsAStream) {
  const Stream stream = Stream::wrap(device(), hipStreamPerThread);
  const auto a = full({1000}, 5, {.stream = stream});
  a.fill(6);
  EXPECT_EQ(a.copy_to_host(stream).get()(999), 6);
}

TEST(Foreign, PointersOfTheRuntimeAreKnown) {
  void *plain = nullptr, *locked = nullptr, *managed = nullptr;
  ASSERT_EQ(hipMalloc(&plain, 4096), hipSuccess);
  ASSERT_EQ(hipHostMalloc(&locked, 4096, hipHostMallocMapped), hipSuccess);
  ASSERT_EQ(hipMallocManaged(&managed, 4096, hipMemAttachGlobal), hipSuccess);
  auto& space = device().space();
  EXPECT_EQ(space.query(plain).kind, MemoryKind::device);
  EXPECT_EQ(space.query(static_cast<char*>(plain) + 100).kind, MemoryKind::device);
  EXPECT_EQ(space.query(locked).kind, MemoryKind::mapped);
  EXPECT_EQ(space.query(managed).kind, MemoryKind::managed);
  int local = 0;
  EXPECT_EQ(space.query(&local).kind, MemoryKind::pageable);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  const auto a = wrap(static_cast<int*>(plain), {16, 64}, {}, device());
  a.copy_to_device(arange<int>(1024).reshape(16, 64));
  EXPECT_EQ(a.transpose().copy().item(63, 15), 1023);
  EXPECT_EQ(hipFree(plain), hipSuccess);
  EXPECT_EQ(hipHostFree(locked), hipSuccess);
  EXPECT_EQ(hipFree(managed), hipSuccess);
}

TEST(Foreign, ErrorsOfOthersAndTheCurrentDeviceAreLeftAlone) {
  void* nothing = nullptr;
  int devices = 0;
  ASSERT_EQ(hipGetDeviceCount(&devices), hipSuccess);
  const int mine = devices - 1;
  ASSERT_EQ(hipSetDevice(mine), hipSuccess);
  EXPECT_EQ(hipMalloc(&nothing, std::size_t{1} << 50), hipErrorOutOfMemory);
  const auto a = full({100, 10}, 1, {.device = Device("hip:0")});
  EXPECT_EQ(a.transpose().copy().copy_to_host()(9, 99), 1);
  if (!differences().async_out_of_memory) {  // there the runtime itself has recorded another one since
    EXPECT_EQ(hipGetLastError(), hipErrorOutOfMemory) << "the program's own error is still there";
  }
  EXPECT_THROW(device_array<double>({index_t{1} << 46}, {.device = Device("hip:0")}), OutOfMemory);
  EXPECT_EQ(hipGetLastError(), hipSuccess) << "Ferry leaves none of its own";
  int current = -1;
  EXPECT_EQ(hipGetDevice(&current), hipSuccess);
  EXPECT_EQ(current, mine);
  EXPECT_EQ(hipSetDevice(0), hipSuccess);
}

}  // namespace
}  // namespace ferry::test
