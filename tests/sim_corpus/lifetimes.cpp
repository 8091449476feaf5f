// Memory that is gone, or goes too early.
#include <algorithm>
#include <optional>

#include "sim_corpus/corpus.hpp"

namespace ferry::test::corpus {

namespace {

constexpr std::size_t n = 1000;

void destination_freed_in_flight(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto d = full<char>({index_t{n}}, 'x', {.device = device});
  const Raw<char> h(device, MemoryKind::pinned, n);
  device.space().copy(h.get(), d.data(), n, a.native());
  h.free(correct ? a : b);
  device.synchronize();
}

void device_memory_freed_in_use(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const Raw<char> d(device, MemoryKind::device, n);
  wrap(d.get(), {index_t{n}}, {}, device).fill('x', a);
  if (correct) b.wait(a.record());
  d.free(b);
  device.synchronize();
}

void copied_after_it_was_freed(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const Raw<char> d(device, MemoryKind::device, n);
  std::vector<char> h(n);
  wrap(d.get(), {index_t{n}}, {}, device).fill('x', s);
  if (!correct) d.free(s);
  device.space().copy(h.data(), d.get(), n, s.native());
  if (correct) d.free(s);
  check(h[0] == 'x');
}

void freed_twice(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const Raw<char> d(device, MemoryKind::device, n);
  d.free(s);
  if (!correct) d.free(s);
}

void pinned_pointer_outlives_its_array(const Device& device, const Device&, bool correct) {
  std::optional<HostArray<double>> h = pinned_array<double>({100}, {.device = device, .label = "scratch"});
  const double* const first = h->data();
  h->fill(1.0);
  if (!correct) h.reset();
  check(*first == 1.0);
}

void stale_mapped_pointer(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const Raw<int> m(device, MemoryKind::mapped, 100);
  int* const at = m.on_device();
  std::fill_n(m.get(), 100, 1);
  if (!correct) m.free(s);
  launch(s, [at] { at[5] = 2; });
  s.synchronize();
  if (correct) {
    check(m.get()[5] == 2);
    m.free(s);
  }
}

void kernel_uses_a_dead_array(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  std::optional<NDArray<int>> d = zeros<int>({100}, {.stream = s, .label = "temporary"});
  const auto view = d->device_view<1>();
  if (!correct) d.reset();
  for_each_index(s, {100}, [view](index_t i) { view(i) = 1; });
  if (correct) d.reset();
  s.synchronize();
}

// The array's end waits for the streams that Ferry knows of; a raw kernel on another one is none.
void kernel_outlives_its_array(const Device& device, const Device&, bool correct) {
  const Stream own = lone_stream(device), other = lone_stream(device);
  std::optional<NDArray<int>> d = zeros<int>({100}, {.stream = own, .label = "brief"});
  other.wait(own.record());
  const auto view = d->device_view<1>();
  const auto kernel = [view](index_t i) { view(i) = 1; };
  if (correct) {
    for_each_index(other, {100}, reads(), writes(*d), kernel);
  } else {
    for_each_index(other, {100}, kernel);
  }
  d.reset();
  device.synchronize();
}

void registration_ends_in_flight(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const auto d = device_array<double>({100}, {.stream = s});
  std::vector<double> h(100, 1.0);
  device.space().register_host(h.data(), 100 * sizeof(double), {});
  d.copy_to_device(h, s);
  if (correct) s.synchronize();
  device.space().unregister_host(h.data());
  s.synchronize();
}

// Raw work that Ferry was not told of: seen by the pages that it touches.
void scope_ends_while_a_kernel_runs(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  std::vector<double> h(10'000, 1.0);
  backend::MemorySpace& space = device.space();
  space.register_host(h.data(), h.size() * sizeof(double), {});
  auto* const at = static_cast<double*>(space.query(h.data()).device_pointer);
  launch(s, [at] {
    for (int i = 0; i < 10'000; ++i) at[i] += 1.0;
  });
  if (correct) s.synchronize();
  space.unregister_host(h.data());
  s.synchronize();
  check(h[9999] == 2.0);
}

void stream_used_after_its_end(const Device& device, const Device&, bool correct) {
  const Raw<char> d(device, MemoryKind::device, n);
  backend::MemorySpace& space = device.space();
  const backend::NativeStream s = space.create_stream({});
  const std::vector<char> h(n, 'x');
  if (!correct) space.destroy_stream(s);
  space.copy(d.get(), h.data(), n, s);
  if (correct) space.destroy_stream(s);
  device.synchronize();
  d.free(device.default_stream());
}

constexpr Program programs[] = {
    {"DestinationFreedInFlight",
     "pinned memory.* is given back while it may be in use\n.*deallocate on stream .*\n.*copy on",
     destination_freed_in_flight},
    {"DeviceMemoryFreedInUse",
     "device memory.* is given back while it may be in use\n.*deallocate on stream .*\n.*fill on",
     device_memory_freed_in_use},
    {"CopiedAfterItWasFreed", "device memory.* is used after it was freed\n.*copy was given it\n.*deallocate on stream",
     copied_after_it_was_freed},
    {"FreedTwice", "deallocate \\(.*was given back before, by deallocate on stream .*InvalidValue", freed_twice},
    {"PinnedPointerOutlivesItsArray", "the host reads byte 0 of 'scratch'.*after it was freed\n.*deallocate on",
     pinned_pointer_outlives_its_array},
    {"StaleMappedPointer",
     "a kernel writes byte 20 of .*mapped memory.*given back\n.*launch on stream.*\n.*deallocate on",
     stale_mapped_pointer},
    {"KernelUsesADeadArray",
     "a kernel writes byte 0 of 'temporary'.*given back\n.*for_each_index on stream .*\n.*deallocate on stream",
     kernel_uses_a_dead_array},
    {"KernelOutlivesItsArray", "'brief'.*(used while it may be freed|given back)(.|\n)*(for_each_index|deallocate) on",
     kernel_outlives_its_array},
    {"RegistrationEndsInFlight", "is unregistered, or its scope ends, while it is in use\n.*copy_to_device on stream",
     registration_ends_in_flight},
    {"ScopeEndsWhileAKernelRuns", "is unregistered, or its scope ends, while it is in use\n.*launch on stream",
     scope_ends_while_a_kernel_runs},
    {"StreamUsedAfterItsEnd", "copy \\(the stream was destroyed.*InvalidResourceHandle", stream_used_after_its_end},
};

}  // namespace

std::span<const Program> lifetime_programs() {
  return programs;
}

}  // namespace ferry::test::corpus
