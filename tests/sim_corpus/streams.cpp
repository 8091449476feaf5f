// Two streams that nothing orders.
#include "sim_corpus/corpus.hpp"

namespace ferry::test::corpus {

namespace {

constexpr index_t n = 1000;

void no_event_between_streams(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto d = device_array<float>({n}, {.device = device, .label = "velocity"});
  const auto h = pinned_array<float>({n}, {.device = device});
  d.fill(2.0f, a);
  if (correct) b.wait(a.record());
  const Transfer t = d.copy_to_host(h, b);
  t.wait();
  check(h(0) == 2.0f);
  device.synchronize();
}

void event_recorded_too_early(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto d = device_array<float>({n}, {.device = device}), e = device_array<float>({n}, {.device = device});
  Event ready = a.record();
  d.fill(2.0f, a);
  if (correct) ready = a.record();
  b.wait(ready);
  e.copy_to_device(d, b);
  device.synchronize();
  check(e.item(0) == 2.0f);
}

void event_waited_for_by_another_stream(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device), c = lone_stream(device);
  const auto d = device_array<float>({n}, {.device = device}), e = device_array<float>({n}, {.device = device});
  d.fill(2.0f, a);
  (correct ? b : c).wait(a.record());
  e.copy_to_device(d, b);
  device.synchronize();
  check(e.item(0) == 2.0f);
}

// An event that was never recorded is no wait.
void wait_before_record(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  backend::MemorySpace& space = device.space();
  const backend::NativeEvent event = space.create_event(false);
  const auto d = device_array<float>({n}, {.device = device}), e = device_array<float>({n}, {.device = device});
  if (!correct) space.wait(b.native(), event);
  d.fill(2.0f, a);
  space.record(event, a.native());
  if (correct) space.wait(b.native(), event);
  e.copy_to_device(d, b);
  device.synchronize();
  check(e.item(0) == 2.0f);
  space.destroy_event(event);
}

// The legacy default stream waits for blocking streams only, and they for it.
void relies_on_the_legacy_stream(const Device& device, const Device&, bool correct) {
  const Stream legacy = device.default_stream(), s(device, {.non_blocking = !correct});
  const auto d = device_array<float>({n}, {.device = device}), e = device_array<float>({n}, {.device = device});
  d.fill(2.0f, legacy);
  e.copy_to_device(d, s);
  device.synchronize();
  check(e.item(0) == 2.0f);
}

void overwritten_while_it_is_read(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto d = full<float>({n}, 1.0f, {.device = device});
  const auto h = pinned_array<float>({n}, {.device = device});
  d.copy_to_host(h, a);
  if (correct) b.wait(a.record());
  d.fill(2.0f, b);
  device.synchronize();
  check(h(0) == 1.0f);
}

// Disjoint columns may be written at once; these share one.
void columns_that_overlap(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto d = zeros<float>({20, 10}, {.device = device, .label = "matrix"});
  d(slice(), slice(0, correct ? 5 : 6)).fill(1.0f, a);
  d(slice(), slice(5, 10)).fill(2.0f, b);
  device.synchronize();
  check(d.item(3, 4) == 1.0f && d.item(3, 5) == 2.0f);
}

// Halos: each half is written from its own stream, and read by its neighbour.
void halo_read_without_order(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device);
  const auto field = zeros<float>({8, 16}, {.device = device, .label = "field"});
  const auto halo = device_array<float>({1, 16}, {.device = device});
  field(slice(0, 4)).fill(1.0f, a);
  field(slice(4, 8)).fill(2.0f, b);
  if (correct) a.wait(b.record());
  halo.copy_to_device(field(slice(4, 5)), a);
  device.synchronize();
  check(halo.item(0, 7) == 2.0f);
}

void chain_with_a_missing_link(const Device& device, const Device&, bool correct) {
  const Stream a = lone_stream(device), b = lone_stream(device), c = lone_stream(device);
  const auto d = device_array<float>({n}, {.device = device, .label = "d"});
  const auto e = device_array<float>({n}, {.device = device, .label = "e"});
  d.fill(1.0f, a);
  b.wait(a.record());
  e.copy_to_device(d, b);
  c.wait((correct ? b : a).record());  // a is not behind b
  e.fill(5.0f, c);
  device.synchronize();
  check(e.item(1) == 5.0f);
}

void peer_copy_without_order(const Device& first, const Device& second, bool correct) {
  const Stream a = lone_stream(first), b = lone_stream(second);
  const auto d = device_array<float>({n}, {.device = first}), e = device_array<float>({n}, {.device = second});
  backend::MemorySpace& from = first.space();
  const backend::NativeEvent event = from.create_event(false);
  d.fill(3.0f, a);
  from.record(event, a.native());
  if (correct) second.space().wait(b.native(), event);
  second.space().copy_peer(e.data(), from, d.data(), n * sizeof(float), b.native());
  b.synchronize();
  check(e.item(0) == 3.0f);
  first.synchronize();
  from.destroy_event(event);
}

constexpr Program programs[] = {
    {"NoEventBetweenStreams",
     "race on 'velocity' \\(device memory of sim:0, 4000 bytes\\)\n.*copy_to_host on stream .* reads bytes 0 to 3999\n"
     ".*fill on stream .* writes bytes 0 to 3999",
     no_event_between_streams},
    {"EventRecordedTooEarly", "race on .*\n.*copy_to_device on stream .* reads.*\n.*fill on stream .* writes",
     event_recorded_too_early},
    {"EventWaitedForByAnotherStream", "race on .*\n.*copy_to_device on stream .* reads.*\n.*fill on stream .* writes",
     event_waited_for_by_another_stream},
    {"WaitBeforeRecord", "race on .*\n.*copy_to_device on stream .* reads.*\n.*fill on stream .* writes",
     wait_before_record},
    {"ReliesOnTheLegacyStream",
     "race on .*\n.*copy_to_device on stream .* reads.*\n.*fill on the legacy default stream",
     relies_on_the_legacy_stream},
    {"OverwrittenWhileItIsRead", "race on .*\n.*fill on stream .* writes.*\n.*copy_to_host on stream .* reads",
     overwritten_while_it_is_read},
    {"ColumnsThatOverlap",
     "race on 'matrix'.*\n.*fill on stream .* writes .*with gaps\n.*fill on stream .* writes .*gaps",
     columns_that_overlap},
    {"HaloReadWithoutOrder",
     "race on 'field'.*\n.*copy_to_device on stream .* reads bytes 256 to 319\n.*fill on stream",
     halo_read_without_order},
    {"ChainWithAMissingLink", "race on 'e'.*\n.*fill on stream .* writes.*\n.*copy_to_device on stream .* writes",
     chain_with_a_missing_link},
    {"PeerCopyWithoutOrder",
     "race on .*memory of sim:0.*\n.*copy_peer on stream . of sim:1.*\n.*fill on stream . of sim:0",
     peer_copy_without_order, true},
};

}  // namespace

std::span<const Program> stream_programs() {
  return programs;
}

}  // namespace ferry::test::corpus
