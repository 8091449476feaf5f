// The wrong side, the wrong device, the wrong address.
#include <algorithm>
#include <cstring>

#include "sim_corpus/corpus.hpp"

namespace ferry::test::corpus {

namespace {

void host_reads_device_memory(const Device& device, const Device&, bool correct) {
  const auto d = full<double>({100}, 1.0, {.device = device, .label = "pressure"});
  check((correct ? d.item(3) : d.data()[3]) == 1.0);
}

void host_writes_device_memory(const Device& device, const Device&, bool correct) {
  const auto d = device_array<double>({100}, {.device = device, .label = "pressure"});
  if (correct) {
    d.fill(0.0);
  } else {
    std::memset(d.data(), 0, 800);
  }
  check(d.item(99) == 0.0);
}

void host_uses_the_device_address(const Device& device, const Device&, bool correct) {
  const Raw<int> m(device, MemoryKind::mapped, 100);
  std::fill_n(correct ? m.get() : m.on_device(), 100, 1);
  m.free(device.default_stream());
}

void copy_of_another_devices_memory(const Device& first, const Device& second, bool correct) {
  const auto d = full<int>({100}, 1, {.device = first});
  std::vector<int> h(100);
  (correct ? first : second).space().copy(h.data(), d.data(), 400, nullptr);
  check(h[0] == 1);
}

void kernel_touches_another_device(const Device& first, const Device& second, bool correct) {
  const auto d = zeros<int>({100}, {.device = first, .label = "elsewhere"});
  const auto view = d.device_view<1>();
  const Stream s(correct ? first : second);
  for_each_index(s, {100}, [view](index_t i) { view(i) = 1; });
  s.synchronize();
  check(d.item(0) == 1);
}

constexpr Program programs[] = {
    {"HostReadsDeviceMemory",
     "the host reads byte 24 of 'pressure' \\(device memory of sim:0, 800 bytes\\), address 0x.*\n"
     ".*only kernels reach device memory: copy_to_host first\n.*called from\n",
     host_reads_device_memory},
    {"HostWritesDeviceMemory", "the host writes byte .* of 'pressure'.*\n.*only kernels reach device memory",
     host_writes_device_memory},
    {"HostUsesTheDeviceAddress", "the host writes byte 0 of .*mapped memory.*\n.*the device's address",
     host_uses_the_device_address},
    {"CopyOfAnotherDevicesMemory", "copy \\(.*device memory of sim:0.*is another device's\\)",
     copy_of_another_devices_memory, true},
    {"KernelTouchesAnotherDevice",
     "a kernel writes byte 0 of 'elsewhere'.*of another device\n.*for_each_index on stream . of sim:1",
     kernel_touches_another_device, true},
};

}  // namespace

std::span<const Program> space_programs() {
  return programs;
}

}  // namespace ferry::test::corpus
