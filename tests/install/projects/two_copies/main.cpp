// Loads plugins, the first two with a static Ferry each, the others with the shared one, and checks what they have in
// common: static copies nothing, with anybody; users of the shared library all. Ends with 7, arrays still alive.
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <vector>

#include "plugin.hpp"

namespace {

int wrong = 0;

void expect(bool good, const std::string& what) {
  if (good) return;
  std::printf("WRONG: %s\n", what.c_str());
  ++wrong;
}

void compare(const Plugin& a, const Plugin& b, bool together, const std::string& pair) {
  b.set_sink();
  a.set_sink();
  const std::string text = "to the sink of " + pair;
  b.report(text.c_str());
  expect((a.received() == text) == together, pair + ": the error sink");

  const unsigned long strange = (1UL << 30) + 12345 * 4096;
  const unsigned long former_of_a = a.set_memory(strange);
  const unsigned long former_of_b = b.set_memory(1UL << 31);
  expect((former_of_b == strange) == together, pair + ": the simulated device's memory");
  b.set_memory(former_of_b);
  a.set_memory(former_of_a);

  const unsigned long live = b.live_bytes();
  const unsigned long allocations = b.pool_allocations();
  a.hold();
  expect((b.live_bytes() == live + 800) == together, pair + ": live memory");
  expect((b.pool_allocations() == allocations + 1) == together, pair + ": the pool");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<const Plugin*> plugins;
  for (int i = 1; i < argc; ++i) {
    // Global, the harder case: what one shows, the next would take.
    void* const object = dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL);
    void* const entry = object == nullptr ? nullptr : dlsym(object, "ferry_plugin");
    if (entry == nullptr) {
      std::printf("%s\n", dlerror());
      return 1;
    }
    plugins.push_back(reinterpret_cast<const Plugin* (*)()>(entry)());
  }
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < plugins.size(); ++i) {
      const int step = plugins[i]->work();
      expect(step == 0, std::string(argv[i + 1]) + ": step " + std::to_string(step));
    }
  }
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    for (std::size_t j = 0; j < plugins.size(); ++j) {
      if (i != j) compare(*plugins[i], *plugins[j], i >= 2 && j >= 2, std::to_string(i) + " and " + std::to_string(j));
    }
  }
  std::puts(wrong == 0 ? "ferry works" : "the copies are in each other's way");
  return wrong == 0 ? 7 : 1;
}
