// Copies on and to a GPU, each as a share of the memcpy of equal size in the same run. Random data; results are
// checked.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ferry/ferry.hpp>
#include <ferry/memory_resource.hpp>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace ferry;
using Clock = std::chrono::steady_clock;

Device gpu() {
  static const Device device("cuda:0");
  return device;
}

template <class T>
HostArray<T> random_host(const Shape& shape, MemoryKind kind = MemoryKind::pageable) {
  const HostArray<T> array =
      kind == MemoryKind::pinned ? pinned_array<T>(shape, {.device = gpu()}) : host_array<T>(shape);
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

// Random data of any size from a block that is repeated on the device.
template <class T>
NDArray<T> random_device(const Shape& shape) {
  const auto array = device_array<T>(shape, {.device = gpu()});
  const auto flat = array.ravel();
  static const auto seed = to_device(random_host<std::uint8_t>({64 << 20}), {.device = gpu()});
  const auto block = seed.template view_as<T>();
  for (index_t at = 0; at < flat.size(); at += block.size()) {
    const index_t n = std::min(block.size(), flat.size() - at);
    flat(slice(at, at + n)).copy_to_device(block(slice(0, n)));
  }
  return array;
}

double seconds_on(const Stream& stream, const std::function<void()>& work) {
  const Event start = stream.record(true);
  work();
  const Event stop = stream.record(true);
  return elapsed_ms(start, stop) / 1e3;
}

/// Reports GB/s of `bytes` a run, and the share of a dense copy of `memcpy_bytes` measured between the runs.
void run_paired(benchmark::State& state, const Stream& stream, double bytes, const std::function<void()>& work,
                const std::function<void()>& dense, double dense_bytes) {
  work();
  dense();
  stream.synchronize();
  std::vector<double> ratios, rates;
  for (auto _ : state) {
    const double reference = seconds_on(stream, dense), time = seconds_on(stream, work);
    state.SetIterationTime(time);
    rates.push_back(bytes / time / 1e9);
    ratios.push_back(bytes / time / (dense_bytes / reference));
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(rates.begin(), rates.end());
  state.counters["GB/s"] = rates[rates.size() / 2];
  state.counters["of_memcpy"] = ratios[ratios.size() / 2];
}

// A copy of a view within the device, against a dense copy of as many bytes.
template <class T>
void within_device(benchmark::State& state, const NDArray<T>& source) {
  const Stream stream(gpu());
  const auto target = device_array<T>(source.shape(), {.device = gpu()});
  const auto a = device_array<T>({source.size()}, {.device = gpu()}), b = random_device<T>({source.size()});
  const double bytes = 2.0 * static_cast<double>(source.nbytes());
  run_paired(
      state, stream, bytes, [&] { target.assign(source, stream); }, [&] { a.assign(b, stream); }, bytes);
  // Checked at random places; the property suite checks all of it on smaller arrays.
  std::uint64_t seed = 1;
  for (int i = 0; i < 20; ++i) {
    NDArray<T> from = source, to = target;
    for (const index_t extent : source.shape()) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const auto at = static_cast<index_t>((seed >> 33) % static_cast<std::uint64_t>(extent));
      from = from(at);
      to = to(at);
    }
    const T expected = from.item(), found = to.item();
    if (std::memcmp(&expected, &found, sizeof(T)) != 0) return state.SkipWithError("a wrong element");
  }
}

void add(const char* name, void (*body)(benchmark::State&), int iterations = 20) {
  benchmark::RegisterBenchmark(name, body)->UseManualTime()->Iterations(iterations)->Unit(benchmark::kMicrosecond);
}

void register_device_copies() {
  add("transpose/16384x16384/float", [](auto& s) {
    within_device(s, random_device<float>({16384, 16384}).transpose());
  });
  add("transpose/12288x12288/double", [](auto& s) {
    within_device(s, random_device<double>({12288, 12288}).transpose());
  });
  add("transpose/32768x32768/uint8", [](auto& s) {
    within_device(s, random_device<std::uint8_t>({32768, 32768}).transpose());
  });
  add("transpose/4000000x64/float", [](auto& s) {
    within_device(s, random_device<float>({4'000'000, 64}).transpose());
  });
  add("transpose/16383x16381/float", [](auto& s) {
    within_device(s, random_device<float>({16383, 16381}).transpose());
  });
  add("permute(2,0,1)/512x1024x512/float", [](auto& s) {
    within_device(s, random_device<float>({512, 1024, 512}).permute({2, 0, 1}));
  });
  add("permute(2,1,0)/512x1024x512/float", [](auto& s) {
    within_device(s, random_device<float>({512, 1024, 512}).permute({2, 1, 0}));
  });
  add("permute(3,2,1,0)/96x128x96x112/double", [](auto& s) {
    within_device(s, random_device<double>({96, 128, 96, 112}).permute({3, 2, 1, 0}));
  });
  add("slice[1:-1,1:-1]/16384x16384/float", [](auto& s) {
    within_device(s, random_device<float>({16384, 16384})(slice(1, -1), slice(1, -1)));
  });
  add("slice[::2,:]/16384x16384/float", [](auto& s) {
    within_device(s, random_device<float>({16384, 16384})(slice(none, none, 2), slice()));
  });
  add("slice[:,::2]/16384x16384/float", [](auto& s) {
    within_device(s, random_device<float>({16384, 16384})(slice(), slice(none, none, 2)));
  });
}

/// Wall-clock time of complete calls, against a transfer of as many bytes from or to page-locked memory.
void host_transfer(benchmark::State& state, index_t bytes, const std::function<void()>& work, bool up) {
  const auto locked = random_host<std::uint8_t>({bytes}, MemoryKind::pinned);
  const auto other = device_array<std::uint8_t>({bytes}, {.device = gpu()});
  const auto dense = [&] { up ? other.copy_to_device(locked) : static_cast<void>(other.copy_to_host(locked)); };
  const auto time_of = [](const auto& call) {
    const auto start = Clock::now();
    call();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  work();
  dense();
  std::vector<double> ratios, rates;
  for (auto _ : state) {
    const double reference = time_of(dense), time = time_of(work);
    state.SetIterationTime(time);
    rates.push_back(static_cast<double>(bytes) / time / 1e9);
    ratios.push_back(reference / time);
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(rates.begin(), rates.end());
  state.counters["GB/s"] = rates[rates.size() / 2];
  state.counters["of_pinned_link"] = ratios[ratios.size() / 2];
}

void register_transfers() {
  constexpr index_t size = index_t{256} << 20;
  add("to_device/pageable/256MiB", [](auto& s) {
    const auto host = random_host<std::uint8_t>({size});
    const auto device = device_array<std::uint8_t>({size}, {.device = gpu()});
    host_transfer(
        s, size, [&] { device.copy_to_device(host); }, true);
    if (!(device.copy_to_host() == host)) s.SkipWithError("a wrong byte");
  });
  add("to_host/pageable_touched/256MiB", [](auto& s) {
    const auto device = random_device<std::uint8_t>({size});
    const auto host = random_host<std::uint8_t>({size});
    host_transfer(
        s, size, [&] { device.copy_to_host(host); }, false);
  });
  add("to_host/fresh/256MiB", [](auto& s) {
    const auto device = random_device<std::uint8_t>({size});
    host_transfer(
        s, size, [&] { benchmark::DoNotOptimize(device.copy_to_host().data()); }, false);
  });
  add(
      "to_device/every_second_column/8192x8192/float",
      [](auto& s) {
        const auto host = random_host<float>({8192, 8192});
        const auto device = device_array<float>({8192, 4096}, {.device = gpu()});
        const auto view = host.view(slice(), slice(none, none, 2));
        host_transfer(
            s, device.nbytes(), [&] { device.copy_to_device(view); }, true);
        if (!(device.copy_to_host() == view)) s.SkipWithError("a wrong element");
      },
      5);
  add(
      "to_device/transposed/8192x8192/float",
      [](auto& s) {
        const auto host = random_host<float>({8192, 8192});
        const auto device = device_array<float>({8192, 8192}, {.device = gpu()});
        const auto view = host.transpose();
        host_transfer(
            s, device.nbytes(), [&] { device.copy_to_device(view); }, true);
        if (!(device.copy_to_host() == view)) s.SkipWithError("a wrong element");
      },
      5);
}

void pool_round_trip(benchmark::State& state, Pool pool, std::size_t bytes) {
  const Stream stream(gpu());
  MemoryResource& resource = gpu().pool(pool);
  resource.deallocate(resource.allocate(bytes, stream.native()), bytes, stream.native());
  for (auto _ : state) {
    void* const block = resource.allocate(bytes, stream.native());
    benchmark::DoNotOptimize(block);
    resource.deallocate(block, bytes, stream.native());
  }
}

void register_latencies() {
  for (const std::size_t bytes : {std::size_t{1} << 10, std::size_t{1} << 20, std::size_t{64} << 20}) {
    for (const auto& [name, pool] : {std::pair{"driver", Pool::driver}, {"cached", Pool::cached}}) {
      const std::string title = "pool/" + std::string(name) + "/" + std::to_string(bytes >> 10) + "KiB";
      benchmark::RegisterBenchmark(title.c_str(), [pool = pool, bytes](auto& s) { pool_round_trip(s, pool, bytes); });
    }
  }
  benchmark::RegisterBenchmark("device_array/1KiB", [](auto& s) {
    const Stream stream(gpu());
    for (auto _ : s) benchmark::DoNotOptimize(device_array<float>({256}, {.stream = stream}).data());
  });
  benchmark::RegisterBenchmark("to_device/1KiB/complete", [](auto& s) {
    const auto host = random_host<float>({256});
    const auto device = device_array<float>({256}, {.device = gpu()});
    for (auto _ : s) device.copy_to_device(host);
  });
  benchmark::RegisterBenchmark("to_device/1KiB/on_a_stream", [](auto& s) {
    const Stream stream(gpu());
    const auto host = random_host<float>({256});
    const auto device = device_array<float>({256}, {.device = gpu()});
    for (auto _ : s) benchmark::DoNotOptimize(device.copy_to_device(host, stream).is_async());
  });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  try {
    gpu();
  } catch (const BackendUnavailable& error) {
    std::printf("skipped: %s\n", error.what());
    return 0;
  }
  register_device_copies();
  register_transfers();
  register_latencies();
  benchmark::RunSpecifiedBenchmarks();
}
