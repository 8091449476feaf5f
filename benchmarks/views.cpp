// What a view costs, the whole public call: slice, reshape, transpose of device arrays of rank 2 and 4. The heap is
// watched, since a view of rank 8 or less must not use it.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <ferry/ferry.hpp>
#include <new>

namespace {
std::atomic<long> heap_calls{0};
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  heap_calls.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using ferry::NDArray;
using ferry::Order;
using ferry::slice;

template <class F>
void measure(benchmark::State& state, const ferry::Shape& shape, const F& make_view) {
  const NDArray<float> array = ferry::device_array<float>(shape, {.device = ferry::Device("host")});
  const long before = heap_calls;
  for (auto _ : state) benchmark::DoNotOptimize(make_view(array));
  if (heap_calls != before) state.SkipWithError("a view used the heap");
}

void slice_rank2_64x64_float(benchmark::State& state) {
  measure(state, {64, 64}, [](const auto& a) { return a(slice(1, -1), slice(ferry::none, ferry::none, 2)); });
}
void slice_rank4_8x16x16x8_float(benchmark::State& state) {
  measure(state, {8, 16, 16, 8}, [](const auto& a) { return a(slice(1, -1), slice(), slice(2, 14, 3), slice(1, 7)); });
}
void reshape_rank2_64x64_float(benchmark::State& state) {
  measure(state, {64, 64}, [](const auto& a) { return a.reshape(128, 32); });
}
void reshape_rank4_8x16x16x8_float(benchmark::State& state) {
  measure(state, {8, 16, 16, 8}, [](const auto& a) { return a.reshape(16, 8, 8, 16); });
}
void transpose_rank2_64x64_float(benchmark::State& state) {
  measure(state, {64, 64}, [](const auto& a) { return a.transpose(); });
}
void transpose_rank4_8x16x16x8_float(benchmark::State& state) {
  measure(state, {8, 16, 16, 8}, [](const auto& a) { return a.permute({2, 0, 3, 1}); });
}

BENCHMARK(slice_rank2_64x64_float);
BENCHMARK(slice_rank4_8x16x16x8_float);
BENCHMARK(reshape_rank2_64x64_float);
BENCHMARK(reshape_rank4_8x16x16x8_float);
BENCHMARK(transpose_rank2_64x64_float);
BENCHMARK(transpose_rank4_8x16x16x8_float);

}  // namespace

BENCHMARK_MAIN();
