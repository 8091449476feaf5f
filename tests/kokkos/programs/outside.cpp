// Every call of the glue before Kokkos::initialize and after Kokkos::finalize: a typed error, where Kokkos would abort.
// Arrays that wrap Views past the end, and work that is queued still, are let go by Kokkos::finalize.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>
#include <string>

namespace {

using namespace ferry;

int failures = 0;
void expect(bool fact, const char* what) {
  if (fact) return;
  std::fprintf(stderr, "outside: %s\n", what);
  ++failures;
}
template <class F>
void expect_refusal(const char* what, F&& call) {
  try {
    call();
  } catch (const LifetimeError& error) {
    expect(std::string(error.what()).find("Kokkos is not running") != std::string::npos, error.what());
    return;
  }
  expect(false, what);
}

std::string reported;
void keep_report(const char* text) noexcept {
  reported += text;
}

void expect_refusals() {
  const auto a = device_array<double>({4});
  const Stream stream(a.device());
  const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> v;
  expect_refusal("view", [&] { kokkos::view<double*>(a); });
  expect_refusal("wrap", [&] { kokkos::wrap(v); });
  expect_refusal("wrap for a device", [&] { kokkos::wrap(v, a.device()); });
  expect_refusal("execution_space", [&] { kokkos::execution_space(stream); });
  expect_refusal("launch", [&] { kokkos::launch(stream, [](const auto&) {}); });
  expect_refusal("deep_copy", [&] { kokkos::deep_copy(a, v); });
  expect_refusal("deep_copy on a stream", [&] { kokkos::deep_copy(stream, a, v); });
  expect_refusal("report_to_tools", [] { kokkos::report_to_tools(); });
}

}  // namespace

int main(int argc, char** argv) {
  set_error_sink(&keep_report);
  expect_refusals();
  Kokkos::initialize(argc, argv);
  HostArray<double> outlives;
  int* const runs = new int(0);
  {
    const Kokkos::View<double*, Kokkos::HostSpace> v("outlives Kokkos", 8);
    outlives = kokkos::wrap(v);
    const Kokkos::View<double*, Kokkos::HostSpace> w("used, then dropped", 8);
    const Stream stream(default_device());
    kokkos::wrap(w).used_on(stream);
#if !FERRY_KOKKOS_GPU
    kokkos::launch(stream, [runs](const auto&) { ++*runs; });
#else
    *runs = 1;
#endif
  }
  Kokkos::finalize();
  expect(*runs == 1, "work that was queued has not been done at Kokkos::finalize");
  expect(reported.find("'outlives Kokkos' at Kokkos::finalize") != std::string::npos, "no report of the View");
  expect(reported.find("dropped") == std::string::npos, reported.c_str());
  outlives = {};  // and no abort of Kokkos' when it goes
  expect_refusals();
  delete runs;
  if (failures == 0) std::puts("outside: every call says so");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
