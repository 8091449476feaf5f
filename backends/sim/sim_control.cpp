#include "backends/sim/sim_space.hpp"
#include "ferry/error.hpp"
#include "ferry/sim.hpp"

namespace ferry::inline v0::sim {

namespace {
backend::sim::SimSpace& space_of(const char* call, const Device& device) {
  if (auto* const space = dynamic_cast<backend::sim::SimSpace*>(&device.space())) return *space;
  throw AccessError("ferry: sim::" + std::string(call) + ": " + device.name() + " is no simulated device");
}
backend::sim::Simulator& simulator() {
  return space_of("schedule", Device("sim")).simulator();
}
}  // namespace

std::string schedule() {
  auto& shared = simulator();
  const std::lock_guard lock(shared.mutex);
  return shared.executor.schedule().to_string();
}
void set_schedule(std::string_view schedule) {
  const auto parsed = backend::sim::Schedule::parse(schedule);
  auto& shared = simulator();
  const std::lock_guard lock(shared.mutex);
  shared.executor.set_schedule(parsed);
}

void fail_allocation(const Device& device, std::size_t n) {
  auto& space = space_of("fail_allocation", device);
  const std::lock_guard lock(space.simulator().mutex);
  space.faults().allocation = n;
}
void fail_copy(const Device& device, std::size_t n) {
  auto& space = space_of("fail_copy", device);
  const std::lock_guard lock(space.simulator().mutex);
  space.faults().copy = n;
}
void lose(const Device& device) {
  space_of("lose", device).set_lost(true);
}
void restore(const Device& device) {
  space_of("restore", device).set_lost(false);
}
std::size_t set_memory(const Device& device, std::size_t bytes) {
  return space_of("set_memory", device).set_capacity(bytes);
}
Counts counts(const Device& device) {
  return space_of("counts", device).counts();
}

}  // namespace ferry::inline v0::sim
