// One simulated device.
#pragma once

#include <map>
#include <vector>

#include "backends/sim/sim_simulator.hpp"
#include "ferry/backend/fault.hpp"
#include "ferry/backend/memory_space.hpp"
#include "ferry/sim.hpp"

namespace ferry::inline v0::backend::sim {

/// Where the interface leaves a choice, the one that finds more faults is taken: kernels reach device, mapped, managed
/// and registered memory, but not pinned; mapped memory has another address on the device than on the host; memory is
/// full of rubbish when it is fresh, and closed when it is gone; a range that leaves its allocation is refused when the
/// work is queued; memory whose deallocation is queued counts as used until that has run; page-locked memory of one
/// device is pageable for the others unless it is portable.
class SimSpace final : public MemorySpace {
 public:
  SimSpace(Simulator& simulator, const char* backend, int index, const Settings& settings);
  ~SimSpace() override;

  std::string_view backend_name() const noexcept override { return backend_; }
  int index() const noexcept override { return index_; }
  Capabilities capabilities() const noexcept override {
    return {.asynchronous = true, .device_is_host = false, .runs_tasks = true, .peer_copies = true};
  }
  MemoryInfo memory_info() const override;
  std::string description() const override;

  void* allocate(MemoryKind kind, std::size_t bytes, MemoryFlags flags, NativeStream stream) override;
  void deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream stream) override;
  void set_label(const void* address, std::string_view label) noexcept override;
  void register_host(void* address, std::size_t bytes, MemoryFlags flags) override;
  void unregister_host(void* address) override;
  PointerInfo query(const void* address) const noexcept override;

  void copy(void* to, const void* from, std::size_t bytes, NativeStream stream) override;
  void copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                    std::size_t rows, NativeStream stream) override;
  void copy_peer(void* to, MemorySpace& source, const void* from, std::size_t bytes, NativeStream stream) override;
  void prefetch(void* address, std::size_t bytes, bool to_device, NativeStream stream) override;
  bool is_lost() const noexcept override;
  void copy_strided(const StridedCopy& copy, NativeStream stream) override;
  void fill_strided(const StridedFill& fill, NativeStream stream) override;
  void convert_strided(const StridedConvert& convert, NativeStream stream) override;
  void run(Task task, NativeStream stream) override;
  void run_declared(Task task, const MemoryUse* uses, std::size_t count, NativeStream stream) override;

  NativeStream create_stream(StreamFlags flags) override;
  void destroy_stream(NativeStream stream) noexcept override;
  void synchronize_stream(NativeStream stream) override;
  bool is_stream_done(NativeStream stream) override;
  void synchronize_device() override;

  NativeEvent create_event(bool timing) override;
  void destroy_event(NativeEvent event) noexcept override;
  void record(NativeEvent event, NativeStream stream) override;
  void wait(NativeStream stream, NativeEvent event) override;
  bool is_event_done(NativeEvent event) override;
  void synchronize_event(NativeEvent event) override;
  float elapsed_ms(NativeEvent start, NativeEvent stop) override;

  // Behind ferry/sim.hpp.
  Simulator& simulator() const noexcept { return simulator_; }
  ::ferry::sim::Counts counts() const;
  std::size_t set_capacity(std::size_t bytes);
  Faults& faults() noexcept { return faults_; }
  void set_lost(bool lost);

 private:
  using Lock = std::lock_guard<std::recursive_mutex>;
  /// The part of an operand that lies in one block.
  struct Part {
    BlockPtr block;
    Footprint what;
  };
  /// An operand's memory, as the engine sees it. Several parts where registrations lie side by side.
  struct Operand {
    std::byte* engine = nullptr;
    std::vector<Part> parts;
    bool is_pageable() const noexcept { return parts.empty(); }
  };
  [[noreturn]] void fail(const char* call, const fault::Fault& fault, const std::string& why) const;
  /// Every call begins with this: a lost device and a dead stream are found out.
  void enter(const char* call, NativeStream stream);
  void enter(const char* call) const;

  /// The memory at `first`, of which `what`, counted from there, is used.
  Operand reach(const char* call, const void* first, const Layout& what, bool by_kernel) const;
  Operand reach_rows(const char* call, const void* first, std::size_t pitch, std::size_t width, std::size_t rows) const;
  bool is_page_locked_here(const Block& block) const noexcept;

  OperationPtr queue(const char* call, NativeStream stream, Task work);
  /// The operation, just queued, uses the operand: checked against all others that do.
  void use(const OperationPtr& operation, const Operand& operand, bool writes);
  void copy_operands(const char* call, const Operand& to, std::size_t to_pitch, const Operand& from,
                     std::size_t from_pitch, std::size_t width, std::size_t rows, NativeStream stream);

  Simulator& simulator_;
  const char* backend_;
  int index_;
  std::size_t capacity_, used_ = 0;
  Faults faults_;
  ::ferry::sim::Counts counts_;
  struct {
    MemoryKind kind;
    std::size_t bytes = 0;
  } failed_;  // the allocation that was made to fail last: its retry fails too
};

}  // namespace ferry::inline v0::backend::sim
