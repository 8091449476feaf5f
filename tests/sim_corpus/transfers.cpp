// The host touches memory that a transfer uses.
#include "sim_corpus/corpus.hpp"

namespace ferry::test::corpus {

namespace {

constexpr index_t n = 1000;

void read_before_wait(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const auto d = full<double>({n}, 3.0, {.stream = s});
  const auto h = pinned_array<double>({n}, {.device = device, .label = "result"});
  const Transfer t = d.copy_to_host(h, s);
  if (correct) t.wait();
  check(h(n - 1) == 3.0);
  t.wait();
}

void source_overwritten_in_flight(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const auto h = pinned_array<double>({n}, {.device = device, .label = "input"});
  h.fill(1.0);
  const auto d = to_device(h, {.stream = s});
  if (correct) s.synchronize();
  h(0) = 2.0;
  check(d.copy_to_host()(0) == 1.0);
}

// The classic: one staging buffer for a loop of transfers.
void one_buffer_for_many_transfers(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const auto d = device_array<double>({4, n}, {.stream = s});
  const auto staging = pinned_array<double>({n}, {.device = device, .label = "staging"});
  for (index_t row = 0; row < 4; ++row) {
    for (index_t i = 0; i < n; ++i) staging(i) = static_cast<double>(row);
    const Transfer t = d(row).copy_to_device(staging, s);
    if (correct) t.wait();
  }
  s.synchronize();
  check(d.item(0, 0) == 0.0 && d.item(3, n - 1) == 3.0);
}

void waits_for_the_wrong_transfer(const Device& device, const Device&, bool correct) {
  const Stream s = lone_stream(device), other = lone_stream(device);
  const auto a = full<int>({n}, 1, {.stream = s}), b = full<int>({n}, 2, {.stream = other});
  const auto ha = pinned_array<int>({n}, {.device = device}), hb = pinned_array<int>({n}, {.device = device});
  const Transfer ta = a.copy_to_host(ha, s), tb = b.copy_to_host(hb, other);
  (correct ? tb : ta).wait();
  check(hb(5) == 2);
  device.synchronize();
}

void asks_once_and_goes_on(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const auto d = full<int>({n}, 7, {.stream = s});
  const auto h = pinned_array<int>({n}, {.device = device});
  h.fill(0);
  const Transfer t = d.copy_to_host(h, s);
  s.record();
  if (correct) {
    while (!t.ready()) {
    }
  }
  check(h(0) == 7);
  s.synchronize();
}

void event_before_the_transfer(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const auto d = full<int>({n}, 7, {.stream = s});
  const auto h = pinned_array<int>({n}, {.device = device});
  Event done = s.record();
  d.copy_to_host(h, s);
  if (correct) done = s.record();
  done.wait();
  check(h(0) == 7);
  s.synchronize();
}

// Registered memory has neighbours on its pages: it is watched by its content.
void registered_source_overwritten(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  std::vector<double> h(n, 1.0);
  device.space().register_host(h.data(), n * sizeof(double), {});
  const auto d = device_array<double>({n}, {.stream = s});
  d.copy_to_device(h, s);
  if (correct) s.synchronize();
  h[10] = 2.0;
  s.synchronize();
  check(d.item(10) == 1.0);
  device.space().unregister_host(h.data());
}

void registered_destination_written(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  std::vector<double> h(n, 0.0);
  device.space().register_host(h.data(), n * sizeof(double), {});
  const auto d = full<double>({n}, 1.0, {.stream = s});
  d.copy_to_host(h, s);
  if (correct) s.synchronize();
  h[10] = 5.0;
  s.synchronize();
  check(h[10] == 5.0);
  device.space().unregister_host(h.data());
}

void mapped_memory_read_too_early(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const Raw<int> m(device, MemoryKind::mapped, 100);
  const auto seen_by_device = wrap(m.on_device(), {100}, {}, device);
  seen_by_device.fill(4, s);
  if (correct) s.synchronize();
  check(m.get()[99] == 4);
  s.synchronize();
  m.free(s);
}

void managed_memory_touched_too_early(const Device& device, const Device&, bool correct) {
  const Stream s(device);
  const Raw<int> m(device, MemoryKind::managed, 100);
  wrap(m.get(), {100}, {}, device).fill(4, s);
  if (correct) s.synchronize();
  ++m.get()[0];
  s.synchronize();
  check(m.get()[0] == 5);
  m.free(s);
}

constexpr Program programs[] = {
    {"ReadBeforeWait",
     "the host reads byte 7992 of 'result'.*while it is in flight\n.*copy_to_host on stream .* writes bytes 0 to 7999",
     read_before_wait},
    {"SourceOverwrittenInFlight",
     "the host writes byte 0 of 'input'.*while it is in flight\n.*to_device on stream .* reads",
     source_overwritten_in_flight},
    {"OneBufferForManyTransfers", "the host writes byte 0 of 'staging'.*in flight\n.*copy_to_device on stream",
     one_buffer_for_many_transfers},
    {"WaitsForTheWrongTransfer", "the host reads byte 20 of .*in flight\n.*copy_to_host on stream",
     waits_for_the_wrong_transfer},
    {"AsksOnceAndGoesOn", "the host reads byte 0 of .*in flight\n.*copy_to_host on stream", asks_once_and_goes_on},
    {"EventBeforeTheTransfer", "the host reads byte 0 of .*in flight\n.*copy_to_host on stream",
     event_before_the_transfer},
    {"RegisteredSourceOverwritten", "the host wrote to .*registered host memory.*in flight\n.*copy_to_device.* reads",
     registered_source_overwritten},
    {"RegisteredDestinationWritten", "the host wrote to .*registered host memory.*in flight\n.*copy_to_host.* writes",
     registered_destination_written},
    {"MappedMemoryReadTooEarly", "the host reads byte 396 of .*mapped memory.*in flight\n.*fill on stream",
     mapped_memory_read_too_early},
    {"ManagedMemoryTouchedTooEarly", "the host (reads|writes) byte 0 of .*managed memory.*in flight\n.*fill on stream",
     managed_memory_touched_too_early},
};

}  // namespace

std::span<const Program> transfer_programs() {
  return programs;
}

}  // namespace ferry::test::corpus
