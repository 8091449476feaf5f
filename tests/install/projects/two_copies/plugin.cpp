#include "plugin.hpp"

#include <ferry/ferry.hpp>
#include <ferry/sim.hpp>
#include <string>
#include <vector>

using namespace ferry;

namespace {

std::string received_text;
std::vector<NDArray<double>> held;

int work() {
  for (const char* name : {"host", "sim:0"}) {
    const Device device(name);
    const Stream stream(device);
    const NDArray<double> d = to_device(arange<double>(100), {.stream = stream});
    const auto v = d.device_view<1>();
    for_each_index(stream, {100}, [=](index_t i) { v(i) += 1; });
    if (d.copy_to_host(stream).get()(99) != 100) return 1;
    try {
      static_cast<void>(d.reshape(7, 7));
      return 2;
    } catch (const ShapeError&) {
    }
  }
  MemoryResource& pool = Device("sim:0").pool(Pool::cached);
  Device("sim:0").set_resource(&pool);
  const auto from_pool = device_array<double>({10}, {.device = Device("sim:0")});
  return from_pool.size() == 10 ? 0 : 3;
}

void sink(const char* message) noexcept {
  received_text = message;
}

const Plugin plugin = {
    work,
    [] { set_error_sink(sink); },
    [](const char* text) { report_error(text); },
    [] { return received_text.c_str(); },
    [] {
      unsigned long bytes = 0;
      for (const LiveMemory& memory : live_memory()) bytes += memory.bytes;
      return bytes;
    },
    [] { return static_cast<unsigned long>(Device("sim:0").pool(Pool::cached).stats().allocations); },
    [](unsigned long bytes) { return static_cast<unsigned long>(sim::set_memory(Device("sim:0"), bytes)); },
    [] { held.push_back(device_array<double>({100}, {.device = Device("sim:0")})); },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const Plugin* ferry_plugin() {
  return &plugin;
}
