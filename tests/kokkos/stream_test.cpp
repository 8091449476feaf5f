// execution_space and launch: Kokkos kernels in the order of Ferry's streams.
#include <gtest/gtest.h>

#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>

#include "kernels.hpp"
#include "support/error_text.hpp"
#include "support/test_device.hpp"

namespace {

using namespace ferry;

TEST(ExecutionSpace, RunsOnTheStreamsDevice) {
  const Stream stream(test::device());
  const auto exec = kokkos::execution_space(stream);
  static_assert(std::is_same_v<std::decay_t<decltype(exec)>, Kokkos::DefaultExecutionSpace>);
  exec.fence();
  EXPECT_THROW(kokkos::execution_space(Stream()), LifetimeError);
#if FERRY_KOKKOS_GPU
  EXPECT_EQ(static_cast<void*>(kokkos::impl::native_stream(exec)), stream.native());
  EXPECT_EQ(kokkos::execution_space(stream), exec);
  EXPECT_EQ(kokkos::execution_space(Stream::wrap(test::device(), stream.native())), exec);
  EXPECT_THROW(kokkos::execution_space(Stream(Device("host"))), AccessError);
  kokkos::release_execution_space(stream);
#endif
}

#if FERRY_KOKKOS_GPU
// The default streams of all GPUs are the same native stream, which is null.
TEST(ExecutionSpace, OfTwoGpusDefaultStreams) {
  const std::string backend(kokkos::impl::gpu_backend);
  try {
    static_cast<void>(Device(backend + ":1"));
  } catch (const Error&) {
    GTEST_SKIP() << "needs two GPUs";
  }
  using Exec = Kokkos::DefaultExecutionSpace;
  for (const int number : {0, 1}) {
    const Device device(backend + ":" + std::to_string(number));
    const Exec exec = kokkos::execution_space<Exec>(device.default_stream());
    EXPECT_EQ(kokkos::impl::device_number(exec), number);
    EXPECT_EQ(kokkos::impl::Instances<Exec>::get().find(exec).device(), device);
  }
  for (const int number : {0, 1}) {
    kokkos::release_execution_space<Exec>(Device(backend + ":" + std::to_string(number)).default_stream());
  }
}
TEST(ExecutionSpace, OfTheHostDoesNotRunOnAGpu) {
  EXPECT_THROW(kokkos::execution_space<Kokkos::DefaultHostExecutionSpace>(Stream(test::device())), AccessError);
}
#endif

TEST(Launch, IsInStreamOrder) {
  const Stream stream(test::device());
  constexpr std::size_t n = 1000;
  const auto a = pinned_array<double>({n}, {.device = test::device()});
  for (std::size_t i = 0; i < n; ++i) a(i) = static_cast<double>(i);
  const auto d = device_array<double>({n}, {.stream = stream});
  const auto v = kokkos::view<double*>(d);
  d.copy_to_device(a, stream);
  kokkos::launch(stream, reads(), writes(d), test::loop(n, test::Scale<decltype(v)>{v, 2.0}));
  d(slice(0, 500)).fill(1.0, stream);
  kokkos::launch(stream, reads(), writes(d), test::loop(n, test::Scale<decltype(v)>{v, 3.0}));
  const auto back = d.copy_to_host(stream).get();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(back(i), i < 500 ? 3.0 : 6.0 * static_cast<double>(i)) << i;
}

TEST(Launch, KeepsDeclaredArrays) {
  const Stream stream(test::device());
  const auto result = device_array<int>({64}, {.stream = stream});
  const auto to = kokkos::view<int*>(result);
  {
    const auto temporary = full<int>({64}, 41, {.stream = stream});
    const auto from = kokkos::view<const int*>(temporary);
    kokkos::launch(stream, reads(temporary), writes(result),
                   test::loop(64, test::Assign<decltype(to), decltype(from)>{to, from}));
  }
  const auto reuse = full<int>({64}, 0, {.stream = stream});
  const auto back = result.copy_to_host(stream).get();
  for (int i = 0; i < 64; ++i) ASSERT_EQ(back(i), 41);
}

TEST(Launch, WithoutDeclarations) {
  const Stream stream(test::device());
  const auto d = full<float>({10}, 2.0f, {.stream = stream});
  const auto v = kokkos::view<float*>(d);
  kokkos::launch(stream, test::loop(10, test::Scale<decltype(v)>{v, 4.0f}));
  EXPECT_EQ(d.copy_to_host(stream).get()(9), 8.0f);
}

TEST(Launch, TwoStreamsOrderedByAnEvent) {
  const Stream first(test::device()), second(test::device());
  const auto d = full<double>({256}, 1.0, {.stream = first});
  const auto v = kokkos::view<double*>(d);
  kokkos::launch(first, reads(), writes(d), test::loop(256, test::Scale<decltype(v)>{v, 5.0}));
  second.wait(first.record());
  kokkos::launch(second, reads(), writes(d), test::loop(256, test::Scale<decltype(v)>{v, 7.0}));
  EXPECT_EQ(d.bind(second).copy_to_host(second).get()(255), 35.0);
}

}  // namespace
