// Kernels that race, or do what nobody said they would.
#include "sim_corpus/corpus.hpp"

namespace ferry::test::corpus {

namespace {

constexpr index_t n = 1000;

auto add_one(const NDArray<int>& array) {
  return [view = array.device_view<1>()](index_t i) { view(i) += 1; };
}

// Nothing is declared: what the kernel has written is seen when it has run.
void kernel_and_copy_without_order(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto d = zeros<int>({n}, {.device = device, .label = "counts"});
  const auto h = pinned_array<int>({n}, {.device = device});
  for_each_index(a, {n}, add_one(d));
  if (correct) b.wait(a.record());
  const Transfer t = d.copy_to_host(h, b);
  t.wait();
  device.synchronize();
  check(h(0) == 1);
}

void fill_and_kernel_without_order(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto d = device_array<int>({n}, {.device = device, .label = "counts"});
  d.fill(1, a);
  if (correct) b.wait(a.record());
  for_each_index(b, {n}, add_one(d));
  device.synchronize();
  check(d.item(0) == 2);
}

void kernels_without_order(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto d = zeros<int>({n}, {.device = device, .label = "counts"});
  for_each_index(a, {n}, add_one(d));
  if (correct) b.wait(a.record());
  for_each_index(b, {n}, add_one(d));
  device.synchronize();
  check(d.item(0) == 2);
}

void declared_kernel_and_copy(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto d = zeros<int>({n}, {.device = device, .label = "counts"});
  const auto e = device_array<int>({n}, {.device = device});
  for_each_index(a, {n}, reads(), writes(d), add_one(d));
  if (correct) b.wait(a.record());
  e.copy_to_device(d, b);
  device.synchronize();
  check(e.item(0) == 1);
}

void kernel_writes_what_it_declared_as_read(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const auto d = zeros<int>({n}, {.device = device, .label = "counts"});
  if (correct) {
    for_each_index(s, {n}, reads(), writes(d), add_one(d));
  } else {
    for_each_index(s, {n}, reads(d), writes(), add_one(d));
  }
  s.synchronize();
  check(d.item(0) == 1);
}

void kernel_out_of_bounds(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const auto d = zeros<int>({n}, {.device = device});
  int* const at = d.data();
  const index_t end = correct ? n : 100 * n;
  launch(s, [at, end] {
    for (index_t i = 0; i < end; ++i) at[i] = 1;
  });
  s.synchronize();
}

void host_reads_while_a_declared_kernel_runs(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const Raw<int> m(device, MemoryKind::mapped, 100);
  m.get()[0] = 0;
  const auto seen_by_device = wrap(m.on_device(), {100}, {}, device);
  for_each_index(s, {100}, reads(), writes(seen_by_device),
                 [v = seen_by_device.device_view<1>()](index_t i) { v(i) = 9; });
  if (correct) s.synchronize();
  check(m.get()[0] == 9);
  s.synchronize();
  m.free(s);
}

constexpr Program programs[] = {
    {"KernelAndCopyWithoutOrder", "race on 'counts'(.|\n)*(for_each_index|copy_to_host) on stream(.|\n)* on stream",
     kernel_and_copy_without_order},
    {"FillAndKernelWithoutOrder", "race on 'counts'(.|\n)*for_each_index on stream(.|\n)*fill on stream",
     fill_and_kernel_without_order},
    {"KernelsWithoutOrder", "race on 'counts'(.|\n)*for_each_index on stream(.|\n)*for_each_index on stream",
     kernels_without_order},
    {"DeclaredKernelAndCopy",
     "race on 'counts'.*\n.*copy_to_device on stream .* reads bytes 0 to 3999\n.*for_each_index on stream .* writes "
     "bytes 0",
     declared_kernel_and_copy},
    {"KernelWritesWhatItDeclaredAsRead", "a kernel writes byte 0 of 'counts'.*not declared to do\n.*for_each_index on",
     kernel_writes_what_it_declared_as_read},
    {"KernelOutOfBounds", "a kernel writes device memory outside of every allocation\n.*launch on stream",
     kernel_out_of_bounds},
    {"HostReadsWhileADeclaredKernelRuns", "the host reads byte 0 of .*mapped memory.*in flight\n.*for_each_index on",
     host_reads_while_a_declared_kernel_runs},
};

}  // namespace

std::span<const Program> kernel_programs() {
  return programs;
}

}  // namespace ferry::test::corpus
