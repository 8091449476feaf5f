// What a Kokkos tool is told of Ferry's memory. argv[1] is the fake tool, which the environment has Kokkos load too.
#include <dlfcn.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>
#include <string>

namespace {

using namespace ferry;

int failures = 0;
void expect_event(const std::string& events, const std::string& line) {
  if (events.find(line + "\n") != std::string::npos) return;
  std::fprintf(stderr, "tool: not told of: %s\n", line.c_str());
  ++failures;
}
void expect_no_event(const std::string& events, const std::string& part) {
  if (events.find(part) == std::string::npos) return;
  std::fprintf(stderr, "tool: told of: %s\n", part.c_str());
  ++failures;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const library = argc > 1 ? argv[1] : "";
  Kokkos::initialize(argc, argv);
  void* const tool = ::dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (tool == nullptr || !Kokkos::Tools::profileLibraryLoaded()) {
    std::fprintf(stderr, "tool: Kokkos has not loaded '%s'\n", library);
    return EXIT_FAILURE;
  }
  const auto events = reinterpret_cast<const char* (*)()>(::dlsym(tool, "ferry_fake_tool_events"));
  const Device device = default_device();
  const std::string space = "ferry " + device.name() + " device";
  {
    const auto before = device_array<double>({3}, {.label = "before the first call"});
    kokkos::report_to_tools();
    const auto velocity = device_array<double>({10, 4}, {.label = "velocity"});
    const auto nameless = device_array<float>({8});
    const auto staging = pinned_array<double>({10, 4}, {.label = "staging"});
    velocity.copy_to_device(staging);
    const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> v("left", 10, 4);
    kokkos::deep_copy(v, velocity(slice(), slice()));
  }
  device.synchronize();
  const std::string told = events();
  expect_event(told, "allocate " + space + " 'velocity' 320");
  expect_event(told, "deallocate " + space + " 'velocity' 320");
  expect_event(told, "allocate " + space + " '(no label)' 32");
  expect_event(told, "allocate ferry " + device.name() + " pinned 'staging' 320");
  expect_event(told, "copy ferry " + device.name() + " pinned 'staging' to " + space + " 'velocity' 320");
  expect_event(told, "copy " + space + " 'velocity' to ferry host pageable 'left' 320");
  expect_event(told, "end of copy");
  expect_no_event(told, "before the first call");  // neither its beginning nor, alone, its end
  const auto late = device_array<int>({2}, {.label = "late"});
  Kokkos::finalize();
  const auto after = device_array<int>({2}, {.label = "after Kokkos"});
  expect_no_event(events(), "after Kokkos");
  if (failures != 0) std::fprintf(stderr, "%s", events());
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
