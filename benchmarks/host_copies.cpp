// Copies on the host, by one thread and by two, each as a share of the std::memcpy of equal size in the same run.
// Random data; results are checked.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ferry/copy_threads.hpp>
#include <ferry/ferry.hpp>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace ferry;
using Clock = std::chrono::steady_clock;

template <class T>
HostArray<T> random_host(const Shape& shape) {
  const HostArray<T> array = host_array<T>(shape);
  auto* const bytes = reinterpret_cast<unsigned char*>(array.data());
  std::uint64_t state = 88172645463325252u;
  for (index_t i = 0; i + 8 <= array.nbytes(); i += 8) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    // Exponents stay small, so that no element is a NaN, which would not equal itself.
    const std::uint64_t word = state & 0x3fff3fff3fff3fffu;
    std::memcpy(bytes + i, &word, 8);
  }
  return array;
}

double seconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T>
void copy(benchmark::State& state, const HostArray<T>& source) {
  set_copy_threads(static_cast<int>(state.range(0)));
  const auto target = host_array<T>(source.shape());
  const auto bytes = static_cast<std::size_t>(source.nbytes());
  const HostArray<std::uint8_t> from = random_host<std::uint8_t>({source.nbytes()}),
                                to = host_array<std::uint8_t>(from.shape());
  const auto dense = [&] { std::memcpy(to.data(), from.data(), bytes); };
  const auto work = [&] { target.assign(source); };
  dense();
  work();
  std::vector<double> ratios, rates;
  for (auto _ : state) {
    const double reference = seconds(dense), time = seconds(work);
    state.SetIterationTime(time);
    rates.push_back(2.0 * static_cast<double>(bytes) / time / 1e9);
    ratios.push_back(reference / time);
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(rates.begin(), rates.end());
  state.counters["GB/s"] = rates[rates.size() / 2];
  state.counters["of_memcpy"] = ratios[ratios.size() / 2];
  if (!array_equal(target, source)) state.SkipWithError("a wrong element");
}

void add(const char* name, void (*body)(benchmark::State&)) {
  benchmark::RegisterBenchmark(name, body)
      ->UseManualTime()
      ->Iterations(20)
      ->Unit(benchmark::kMicrosecond)
      ->Arg(1)
      ->Arg(2);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add("dense/8192x4096/float", [](auto& s) { copy(s, random_host<float>({8192, 4096})); });
  add("transpose/4096x4096/float", [](auto& s) { copy(s, random_host<float>({4096, 4096}).transpose()); });
  add("transpose/4095x4093/float", [](auto& s) { copy(s, random_host<float>({4095, 4093}).transpose()); });
  add("transpose/4096x4096/double", [](auto& s) { copy(s, random_host<double>({4096, 4096}).transpose()); });
  add("transpose/8192x8192/uint8", [](auto& s) { copy(s, random_host<std::uint8_t>({8192, 8192}).transpose()); });
  add("permute(2,0,1)/256x512x256/float", [](auto& s) {
    copy(s, random_host<float>({256, 512, 256}).permute({2, 0, 1}));
  });
  add("permute(3,2,1,0)/64x64x64x64/float", [](auto& s) {
    copy(s, random_host<float>({64, 64, 64, 64}).permute({3, 2, 1, 0}));
  });
  add("slice[1:-1,1:-1]/4096x4096/float", [](auto& s) {
    copy(s, random_host<float>({4096, 4096}).view(slice(1, -1), slice(1, -1)));
  });
  add("slice[::2,:]/4096x4096/float", [](auto& s) {
    copy(s, random_host<float>({4096, 4096}).view(slice(none, none, 2), slice()));
  });
  add("slice[:,::2]/4096x4096/float", [](auto& s) {
    copy(s, random_host<float>({4096, 4096}).view(slice(), slice(none, none, 2)));
  });
  add("slice[:,::-1]/4096x4096/float", [](auto& s) {
    copy(s, random_host<float>({4096, 4096}).view(slice(), slice(none, none, -1)));
  });
  benchmark::RunSpecifiedBenchmarks();
}
