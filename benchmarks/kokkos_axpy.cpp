// Kokkos kernels over view(array) as a share of the same kernels over native Views, both over the same memory, where
// only the View differs, and each over memory that its own library has allocated, where pages may differ too; and
// ferry::kokkos::deep_copy beside what Kokkos needs where it refuses the copy: a mirror and two copies. All by pairs in
// the same run, whose order alternates; a counter is the median of the pairs' ratios, above 1 where Ferry is faster.
// Results are checked.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ferry/copy_threads.hpp>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>
#include <string>
#include <vector>

namespace {

using namespace ferry;
using Clock = std::chrono::steady_clock;
using Exec = Kokkos::DefaultExecutionSpace;
using Index = std::int64_t;

/// Bytes of each operand of a kernel, and of each side of a copy.
index_t operand_bytes = index_t{FERRY_KOKKOS_GPU ? 2048 : 256} << 20;
index_t copy_bytes = index_t{FERRY_KOKKOS_GPU ? 512 : 64} << 20;

Device device() {
  return Device(FERRY_KOKKOS_GPU ? std::string(kokkos::impl::gpu_backend) : std::string("host"));
}
index_t edge(index_t bytes) {
  return static_cast<index_t>(std::sqrt(static_cast<double>(bytes) / sizeof(double)));
}

// Function objects, because device compilers take no lambdas from generic code.

constexpr double factor = 0.5;  // all sums are exact

template <class X, class Y>
struct Axpy {
  X x;
  Y y;
  KOKKOS_FUNCTION void operator()(const Index i) const { y(i) += factor * x(i); }
};
template <class X, class Y>
struct AxpyStart {
  X x;
  Y y;
  KOKKOS_FUNCTION void operator()(const Index i) const {
    x(i) = static_cast<double>(i % 1021);
    y(i) = static_cast<double>(i % 7);
  }
};
template <class Y>
struct AxpyWrong {
  Y y;
  double runs;
  KOKKOS_FUNCTION void operator()(const Index i, Index& wrong) const {
    if (y(i) != static_cast<double>(i % 7) + runs * factor * static_cast<double>(i % 1021)) ++wrong;
  }
};

/// to = from + Laplacian of from / 8, within the border.
template <class From, class To>
struct Stencil {
  From from;
  To to;
  KOKKOS_FUNCTION void operator()(const Index i, const Index j) const {
    to(i, j) =
        from(i, j) + 0.125 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1) - 4 * from(i, j));
  }
};
template <class From, class To>
struct StencilStart {
  From from;
  To to;
  KOKKOS_FUNCTION void operator()(const Index i, const Index j) const {
    from(i, j) = static_cast<double>(i * i + 3 * j);  // whose Laplacian is 2
    to(i, j) = 0;
  }
};
template <class To>
struct StencilWrong {
  To to;
  KOKKOS_FUNCTION void operator()(const Index i, const Index j, Index& wrong) const {
    if (to(i, j) != static_cast<double>(i * i + 3 * j) + 0.25) ++wrong;
  }
};

/// v(i, j) = i + j / 4096, which tells elements apart.
template <class V>
struct Number {
  V v;
  KOKKOS_FUNCTION void operator()(const Index i, const Index j) const {
    v(i, j) = static_cast<double>(i) + static_cast<double>(j) / 4096;
  }
};
template <class V>
struct NumberWrong {
  V v;
  double step;  ///< columns of the source between two of this
  KOKKOS_FUNCTION void operator()(const Index i, const Index j, Index& wrong) const {
    if (v(i, j) != static_cast<double>(i) + step * static_cast<double>(j) / 4096) ++wrong;
  }
};

using Line = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
template <class Body>
struct AxpyLaunch {
  Body body;
  Index n;
  void operator()(const Exec& exec) const { Kokkos::parallel_for("axpy", Line(exec, 0, n), body); }
};
template <class Space>
using PlaneOf = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>,
                                      Kokkos::IndexType<Index>>;
using Plane = PlaneOf<Exec>;

template <class Space, class V>
PlaneOf<Space> all_of(const V& v) {
  return {{0, 0}, {static_cast<Index>(v.extent(0)), static_cast<Index>(v.extent(1))}};
}
template <class V>
PlaneOf<Exec> within(const V& v, const Exec& exec) {
  return {exec, {1, 1}, {static_cast<Index>(v.extent(0)) - 1, static_cast<Index>(v.extent(1)) - 1}};
}
template <class Policy, class Body>
Index count(const Policy& policy, const Body& body) {
  Index wrong = 0;
  Kokkos::parallel_reduce("wrong elements", policy, body, wrong);
  return wrong;
}

template <class F>
double seconds(const F& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Times both, each complete on return; `bytes` are those that one moves.
template <class Ours, class Theirs>
void run_paired(benchmark::State& state, double bytes, const char* ratio, const Ours& ours, const Theirs& theirs) {
  ours();
  theirs();
  std::vector<double> ratios, rates, their_rates;
  for (auto _ : state) {
    double time = 0, reference = 0;
    if (ratios.size() % 2 == 0) {
      reference = seconds(theirs);
      time = seconds(ours);
    } else {
      time = seconds(ours);
      reference = seconds(theirs);
    }
    state.SetIterationTime(time);
    rates.push_back(bytes / time / 1e9);
    their_rates.push_back(bytes / reference / 1e9);
    ratios.push_back(reference / time);
  }
  state.counters["GB/s"] = median(rates);
  state.counters["Kokkos_GB/s"] = median(their_rates);
  state.counters[ratio] = median(ratios);
}

/// Whose memory the kernels over arrays work on.
enum class Memory { same, own };

template <class DataType, class... Extents>
Kokkos::View<DataType, Kokkos::LayoutRight> native_view(const std::string& label, Extents... extents) {
  return Kokkos::View<DataType, Kokkos::LayoutRight>(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                                                     extents...);
}
/// The array for the kernels that are compared with those over a View.
template <class View>
NDArray<double> array_beside(const View& native, Memory memory, const Stream& stream) {
  const auto wrapped = kokkos::wrap(native, device());
  return memory == Memory::same ? wrapped : device_array<double>(wrapped.shape(), {.stream = stream});
}

/// `launched`: by launch() with reads and writes declared, else on the stream's execution space by Kokkos alone.
void axpy(benchmark::State& state, Memory memory, bool launched) {
  const Stream stream(device());
  const Exec exec = kokkos::execution_space<Exec>(stream);
  const index_t n = operand_bytes / static_cast<index_t>(sizeof(double));
  const auto nx = native_view<double*>("x", static_cast<std::size_t>(n));
  const auto ny = native_view<double*>("y", static_cast<std::size_t>(n));
  const auto x = array_beside(nx, memory, stream), y = array_beside(ny, memory, stream);
  const auto vx = kokkos::view<double*>(x), vy = kokkos::view<double*>(y);
  const Line line(exec, 0, n);
  Kokkos::parallel_for("start", line, AxpyStart<decltype(vx), decltype(vy)>{vx, vy});
  Kokkos::parallel_for("start", line, AxpyStart<decltype(nx), decltype(ny)>{nx, ny});
  exec.fence();
  double runs = 0, native_runs = 0;
  const Axpy<decltype(vx), decltype(vy)> body{vx, vy};
  const Axpy<decltype(nx), decltype(ny)> native{nx, ny};
  run_paired(
      state, 3.0 * static_cast<double>(x.nbytes()), "of_native",
      [&] {
        if (launched) {
          kokkos::launch<Exec>(stream, reads(x), writes(y), AxpyLaunch<decltype(body)>{body, n});
          stream.synchronize();
        } else {
          Kokkos::parallel_for("axpy", line, body);
          exec.fence();
        }
        ++runs;
      },
      [&] {
        Kokkos::parallel_for("axpy", line, native);
        exec.fence();
        ++native_runs;
      });
  if (memory == Memory::same) runs = native_runs = runs + native_runs;
  const Index wrong =
      count(line, AxpyWrong<decltype(vy)>{vy, runs}) + count(line, AxpyWrong<decltype(ny)>{ny, native_runs});
  if (wrong != 0) state.SkipWithError("a wrong element");
}

template <class From, class To, class NativeFrom, class NativeTo>
void stencil_of(benchmark::State& state, const Exec& exec, const From& from, const To& to, const NativeFrom& nfrom,
                const NativeTo& nto) {
  Kokkos::parallel_for("start", all_of<Exec>(from), StencilStart<From, To>{from, to});
  Kokkos::parallel_for("start", all_of<Exec>(nfrom), StencilStart<NativeFrom, NativeTo>{nfrom, nto});
  Kokkos::fence();
  const Plane plane = within(from, exec);
  const Stencil<From, To> body{from, to};
  const Stencil<NativeFrom, NativeTo> native{nfrom, nto};
  run_paired(
      state, 2.0 * static_cast<double>(sizeof(double)) * static_cast<double>(from.extent(0) * from.extent(1)),
      "of_native",
      [&] {
        Kokkos::parallel_for("stencil", plane, body);
        exec.fence();
      },
      [&] {
        Kokkos::parallel_for("stencil", plane, native);
        exec.fence();
      });
  const Index wrong =
      count(within(to, exec), StencilWrong<To>{to}) + count(within(nto, exec), StencilWrong<NativeTo>{nto});
  if (wrong != 0) state.SkipWithError("a wrong element");
}

void stencil(benchmark::State& state, Memory memory) {
  const Stream stream(device());
  const auto n = static_cast<std::size_t>(edge(operand_bytes));
  const auto na = native_view<double**>("a", n, n), nb = native_view<double**>("b", n, n);
  const auto a = array_beside(na, memory, stream), b = array_beside(nb, memory, stream);
  stencil_of(state, kokkos::execution_space<Exec>(stream), kokkos::view<double**>(a), kokkos::view<double**>(b), na,
             nb);
}

/// On a part of larger arrays, whose rows have gaps between them: Views of LayoutStride.
void strided_stencil(benchmark::State& state, Memory memory) {
  const Stream stream(device());
  const auto n = static_cast<std::size_t>(edge(operand_bytes));
  const auto na = native_view<double**>("a", n, n), nb = native_view<double**>("b", n, n);
  const auto a = array_beside(na, memory, stream), b = array_beside(nb, memory, stream);
  const auto part = slice(8, -8);
  const auto native_part = std::make_pair(std::size_t{8}, n - 8);
  using NativePart = Kokkos::View<double**, Kokkos::LayoutStride>;
  stencil_of(state, kokkos::execution_space<Exec>(stream), kokkos::view<double**, Kokkos::LayoutStride>(a(part, part)),
             kokkos::view<double**, Kokkos::LayoutStride>(b(part, part)),
             NativePart(Kokkos::subview(na, native_part, native_part)),
             NativePart(Kokkos::subview(nb, native_part, native_part)));
}

using Host = Kokkos::DefaultHostExecutionSpace;
using HostPlane = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using DevicePlane = Kokkos::View<double**, Kokkos::LayoutLeft>;

/// The threads that Ferry copies with: one, as Kokkos' host copies here may have, or as many as it takes by itself.
void set_threads(const benchmark::State& state) {
  static const int all = copy_threads();
  set_copy_threads(state.range(0) == 0 ? all : static_cast<int>(state.range(0)));
}

/// A matrix by rows on the host, a matrix by columns on the device. Kokkos copies by a mirror in the device's layout,
/// which is made once, outside the clock.
void upload_transposed(benchmark::State& state) {
  set_threads(state);
  const auto n = static_cast<std::size_t>(edge(copy_bytes));
  const HostPlane host("host", n, n);
  const DevicePlane ours("ours", n, n), theirs("theirs", n, n);
  const auto mirror = Kokkos::create_mirror(theirs);
  Kokkos::parallel_for("number", all_of<Host>(host), Number<HostPlane>{host});
  Kokkos::fence();
  run_paired(
      state, static_cast<double>(n * n * sizeof(double)), "of_mirror_and_two_copies",
      [&] { kokkos::deep_copy(ours, host); },
      [&] {
        Kokkos::deep_copy(mirror, host);
        Kokkos::deep_copy(theirs, mirror);
      });
  if (count(all_of<Exec>(ours), NumberWrong<DevicePlane>{ours, 1}) +
          count(all_of<Exec>(theirs), NumberWrong<DevicePlane>{theirs, 1}) !=
      0) {
    state.SkipWithError("a wrong element");
  }
}

void download_transposed(benchmark::State& state) {
  set_threads(state);
  const auto n = static_cast<std::size_t>(edge(copy_bytes));
  const HostPlane ours("ours", n, n), theirs("theirs", n, n);
  const DevicePlane source("device", n, n);
  const auto mirror = Kokkos::create_mirror(source);
  Kokkos::parallel_for("number", all_of<Exec>(source), Number<DevicePlane>{source});
  Kokkos::fence();
  run_paired(
      state, static_cast<double>(n * n * sizeof(double)), "of_mirror_and_two_copies",
      [&] { kokkos::deep_copy(ours, source); },
      [&] {
        Kokkos::deep_copy(mirror, source);
        Kokkos::deep_copy(theirs, mirror);
      });
  if (count(all_of<Host>(ours), NumberWrong<HostPlane>{ours, 1}) +
          count(all_of<Host>(theirs), NumberWrong<HostPlane>{theirs, 1}) !=
      0) {
    state.SkipWithError("a wrong element");
  }
}

/// Every second column of a host's matrix, as a View of LayoutStride: Kokkos' subviews have no steps.
void upload_columns(benchmark::State& state) {
  set_threads(state);
  using Dense = Kokkos::View<double**, Kokkos::LayoutRight>;
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace>;
  const auto n = static_cast<std::size_t>(edge(copy_bytes));
  const HostPlane all("host", n, 2 * n);
  const Strided host(all.data(), Kokkos::LayoutStride(n, 2 * n, n, 2));
  const Dense ours("ours", n, n), theirs("theirs", n, n);
  const auto mirror = Kokkos::create_mirror(theirs);
  Kokkos::parallel_for("number", all_of<Host>(all), Number<HostPlane>{all});
  Kokkos::fence();
  run_paired(
      state, static_cast<double>(n * n * sizeof(double)), "of_mirror_and_two_copies",
      [&] { kokkos::deep_copy(ours, host); },
      [&] {
        Kokkos::deep_copy(mirror, host);
        Kokkos::deep_copy(theirs, mirror);
      });
  if (count(all_of<Exec>(ours), NumberWrong<Dense>{ours, 2}) +
          count(all_of<Exec>(theirs), NumberWrong<Dense>{theirs, 2}) !=
      0) {
    state.SkipWithError("a wrong element");
  }
}

/// --mib=N and --copy_mib=N; the others are Google Benchmark's.
void take_sizes(int& argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--mib=", 6) == 0) {
      operand_bytes = static_cast<index_t>(std::atoll(argv[i] + 6)) << 20;
    } else if (std::strncmp(argv[i], "--copy_mib=", 11) == 0) {
      copy_bytes = static_cast<index_t>(std::atoll(argv[i] + 11)) << 20;
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
}

benchmark::internal::Benchmark* add(const char* name, void (*body)(benchmark::State&), int pairs) {
  return benchmark::RegisterBenchmark(name, body)->UseManualTime()->Iterations(pairs)->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("OMP_PROC_BIND", "false", 0);  // else Kokkos with OpenMP asks for it on stderr
  Kokkos::initialize(argc, argv);
  take_sizes(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv) || operand_bytes <= 0 || copy_bytes <= 0) {
    Kokkos::finalize();
    return 1;
  }
  const int pairs = FERRY_KOKKOS_GPU ? 100 : 30;
  add(
      "axpy/same_memory", [](benchmark::State& state) { axpy(state, Memory::same, false); }, pairs);
  add(
      "axpy/same_memory/launch", [](benchmark::State& state) { axpy(state, Memory::same, true); }, pairs);
  add(
      "axpy/own_memory", [](benchmark::State& state) { axpy(state, Memory::own, false); }, pairs);
  add(
      "stencil/same_memory", [](benchmark::State& state) { stencil(state, Memory::same); }, pairs);
  add(
      "stencil/own_memory", [](benchmark::State& state) { stencil(state, Memory::own); }, pairs);
  add(
      "stencil/strided/same_memory", [](benchmark::State& state) { strided_stencil(state, Memory::same); }, pairs);
  add(
      "stencil/strided/own_memory", [](benchmark::State& state) { strided_stencil(state, Memory::own); }, pairs);
  for (const int threads : {1, 0}) {
    add("deep_copy/up/rows_to_columns", &upload_transposed, 10)->Arg(threads)->ArgName("copy_threads");
    add("deep_copy/down/columns_to_rows", &download_transposed, 10)->Arg(threads)->ArgName("copy_threads");
    add("deep_copy/up/every_second_column", &upload_columns, 10)->Arg(threads)->ArgName("copy_threads");
  }
  benchmark::RunSpecifiedBenchmarks();
  Kokkos::finalize();
}
