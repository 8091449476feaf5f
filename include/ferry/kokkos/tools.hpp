// Ferry's allocations and copies as events of Kokkos Tools.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <string_view>

#include "ferry/config.hpp"
#include "ferry/kokkos/session.hpp"
#include "ferry/memory_observer.hpp"

namespace ferry::inline v0::kokkos {

namespace impl {

/// Hands on to the tool what Ferry does. Spaces are named "ferry cuda:0 device", apart from Kokkos' own.
class ToolsObserver final : public MemoryObserver {
  static auto space(const ObservedMemory& memory) {
    const std::string name = "ferry " + memory.device.name() + " " + std::string(to_string(memory.kind));
    return Kokkos::Tools::make_space_handle(name.c_str());
  }
  static std::string label(const ObservedMemory& memory) {
    return memory.label.empty() ? std::string("(no label)") : std::string(memory.label);
  }

 public:
  static ToolsObserver& get() {
    static ToolsObserver& observer = *new ToolsObserver;
    return observer;
  }
  void allocated(const ObservedMemory& memory, std::size_t bytes) noexcept override {
    Kokkos::Tools::allocateData(space(memory), label(memory), memory.address, bytes);
  }
  void freed(const ObservedMemory& memory, std::size_t bytes) noexcept override {
    Kokkos::Tools::deallocateData(space(memory), label(memory), memory.address, bytes);
  }
  void copy_begins(const ObservedMemory& to, const ObservedMemory& from, std::size_t bytes) noexcept override {
    Kokkos::Tools::beginDeepCopy(space(to), label(to), to.address, space(from), label(from), from.address, bytes);
  }
  void copy_ends() noexcept override { Kokkos::Tools::endDeepCopy(); }
};

/// As kokkos::report_to_tools, for every entry of the glue: costs a question to Kokkos and one to Ferry.
inline void report_to_tools() {
  if (!Kokkos::Tools::profileLibraryLoaded()) return;
  static std::mutex mutex;
  static bool connected = false;
  const std::lock_guard lock(mutex);
  if (connected) return;
  // An observer that the program has set itself stays.
  MemoryObserver* const former = set_memory_observer(&ToolsObserver::get());
  if (former != nullptr) set_memory_observer(former);
  connected = true;
  at_finalize([] {
    const std::lock_guard finalize_lock(mutex);
    MemoryObserver* const present = set_memory_observer(nullptr);
    if (present != &ToolsObserver::get()) set_memory_observer(present);
    connected = false;
  });
}

}  // namespace impl

/// From now until Kokkos::finalize, allocations, frees and copies of all arrays are reported to the Kokkos Tools
/// library that is loaded, with the arrays' labels; without one nothing happens. Every call of this glue does it too:
/// call it after Kokkos::initialize to have reported what comes before the first. A copy on a stream is reported as the
/// call that starts it.
/// @throws LifetimeError while Kokkos does not run
inline void report_to_tools() {
  impl::require_running("report_to_tools");
  impl::report_to_tools();
}

}  // namespace ferry::inline v0::kokkos
