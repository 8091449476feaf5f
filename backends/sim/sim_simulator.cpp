#include "backends/sim/sim_simulator.hpp"

#include <pthread.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "backends/cpu/sizes.hpp"
#include "backends/sim/sim_fault_handler.hpp"
#include "backends/sim/sim_report.hpp"
#include "backends/sim/sim_single_step.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::sim {

namespace {

std::atomic<bool> forked{false};

const char* variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : nullptr;
}

int device_count() {
  const char* text = variable("FERRY_SIM_DEVICES");
  if (text == nullptr) return 1;
  int count = 0;
  const char* const last = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, last, count);
  if (error == std::errc() && end == last && count >= 1 && count <= 64) return count;
  throw Error("ferry: FERRY_SIM_DEVICES is '" + std::string(text) + "'; write a number from 1 to 64");
}

std::string in_hex(const void* address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%zx", static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(address)));
  return text;
}

}  // namespace

bool is_forked_child() noexcept {
  return forked.load(std::memory_order_relaxed);
}

Settings Settings::from_environment() {
  Settings settings;
  if (const char* text = variable("FERRY_SIM")) settings.schedule = Schedule::parse(text);
  settings.devices = device_count();
  settings.memory = cpu::bytes_from_environment("FERRY_SIM_MEMORY", settings.memory);
  if (const char* text = variable("FERRY_SIM_FAULTS")) settings.faults = Faults::parse(text);
  return settings;
}

Simulator::Simulator(const Settings& settings) : executor(settings.schedule, *this) {
  for (int device = 0; device < settings.devices; ++device) {
    executor.add_device();
    memory.add_device();
  }
  static const int watched = ::pthread_atfork(nullptr, nullptr, [] { forked = true; });
  static_cast<void>(watched);
  install_fault_handler(*this);
}
Simulator::~Simulator() {
  remove_fault_handler(*this);
}

void Simulator::wait_for(const OperationPtr& operation) {
  const OperationPtr kept = operation;
  executor.finish(kept);
  flights.settle();
  Executor::report(kept);
}

void Simulator::wait_for_device(int device) {
  executor.finish_device(device);
  flights.settle();
  executor.report_device(device);
}

// Kernels that were queued and not declared may use the memory: they run now, which they may at any time, and show it.
void Simulator::end_registration(const BlockPtr& block) {
  if (executor.has_open_ended()) executor.run_pending();
  for (const Touch& touch : block->touches) {
    if (executor.is_seen(*touch.operation)) continue;
    report_bug(describe(*block) + " is unregistered, or its scope ends, while it is in use\n  " + describe(touch) +
               "\n  wait for that work before the scope ends");
  }
  memory.retire(block);
}

bool Simulator::poll(const OperationPtr& operation) {
  const bool done = executor.poll(operation);
  if (done) flights.settle();
  return done;
}

// A thread that holds the lock and waits for this one would be a dead end.
std::unique_lock<std::recursive_mutex> Simulator::lock_in_handler() {
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int tries = 0; !lock.owns_lock() && tries < 1000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

bool Simulator::handle_fault(const void* address, bool writes, void* context) {
  if (kernels.is_running()) {
    // The lock is held by the thread that runs the kernel, which waits for this one if it is another.
    if (!memory.owns(address)) return kernels.touched_registered(address, writes);
    kernels.touched(address, writes);
    return true;
  }
  if (!memory.owns(address)) return false;
  const std::unique_lock lock = lock_in_handler();
  if (!lock.owns_lock()) report_bug("memory of a simulated device was touched at " + in_hex(address));
  host_touched(address, writes, context);
  return true;
}

void Simulator::host_touched(const void* address, bool writes, void* context) {
  const auto* const at = static_cast<const std::byte*>(address);
  const std::string does = std::string("the host ") + (writes ? "writes " : "reads ");
  const auto where = [&](const Block& block) {
    return "byte " + std::to_string(block.offset_of(at)) + " of " + describe(block) + ", address " + in_hex(address);
  };
  const BlockPtr block = memory.find(address);
  if (block == nullptr) {
    if (const BlockPtr gone = memory.find_retired(address)) {
      report_bug(does + where(*gone) + ", after it was freed" +
                 (gone->freed != nullptr ? "\n  " + describe(*gone->freed) + " gave it back" : ""));
    }
    report_bug(does + "memory of a simulated device outside of every allocation, address " + in_hex(address));
  }
  if (memory.is_device_address(address)) {
    report_bug(does + where(*block) +
               (block->kind == MemoryKind::mapped ? "\n  that is the device's address; the host has one of its own"
                                                  : "\n  only kernels reach device memory: copy_to_host first"));
  }
  const std::size_t byte = block->offset_of(at);
  if (const Touch* touch = flights.forbidding(block, byte, writes)) {
    report_bug(does + where(*block) + ", while it is in flight\n  " + describe(*touch) +
               "\n  wait for it first: Transfer::wait, or synchronize the stream");
  }
  // Beside what is in flight, on its page.
  if (!can_single_step()) return flights.open_for_good(block, byte);
  flights.open_for_now(block, byte);
  const auto close_again = [](void* simulator) {
    auto& self = *static_cast<Simulator*>(simulator);
    if (const auto lock = self.lock_in_handler(); lock.owns_lock()) self.flights.close_again();
  };
  after_this_instruction(context, close_again, this);
}

}  // namespace ferry::inline v0::backend::sim
