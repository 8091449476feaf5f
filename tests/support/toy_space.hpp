#pragma once

#include <ferry/backend/memory_space.hpp>
#include <ferry/backend/strided.hpp>
#include <map>
#include <mutex>

#include "ferry/backend/ledger.hpp"
#include "support/toy_arena.hpp"
#include "support/toy_backend.hpp"
#include "support/toy_executor.hpp"

namespace ferry::test {

/// One toy device. Every call takes the one lock; kernels run under it, and must not wait for the device.
///
/// Where the interface leaves a choice, the toy takes the one that finds more faults: kernels reach device, mapped,
/// managed and registered memory, but not pinned; memory is full of rubbish when it is fresh and poisoned when it is
/// gone; a range that leaves its allocation is refused when the work is queued; memory whose deallocation is queued
/// counts as used until that has run. Unregistering waits for all work, as a driver does.
class ToySpace final : public backend::MemorySpace {
 public:
  explicit ToySpace(int index);
  ~ToySpace() override;

  void set_neighbour(const ToySpace& other) noexcept { neighbour_ = &other; }
  ToyCounts counts() const;
  std::size_t set_capacity(std::size_t bytes);

  std::string_view backend_name() const noexcept override { return "toy"; }
  int index() const noexcept override { return index_; }
  backend::Capabilities capabilities() const noexcept override {
    return {.asynchronous = true, .device_is_host = false, .runs_tasks = true};
  }
  MemoryInfo memory_info() const override;

  void* allocate(MemoryKind kind, std::size_t bytes, backend::MemoryFlags flags, backend::NativeStream stream) override;
  void deallocate(MemoryKind kind, void* address, std::size_t bytes, backend::NativeStream stream) override;
  void register_host(void* address, std::size_t bytes, backend::MemoryFlags flags) override;
  void unregister_host(void* address) override;
  backend::PointerInfo query(const void* address) const noexcept override;

  void copy(void* to, const void* from, std::size_t bytes, backend::NativeStream stream) override;
  void copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                    std::size_t rows, backend::NativeStream stream) override;
  void copy_strided(const backend::StridedCopy& copy, backend::NativeStream stream) override;
  void fill_strided(const backend::StridedFill& fill, backend::NativeStream stream) override;
  void convert_strided(const backend::StridedConvert& convert, backend::NativeStream stream) override;
  void run(Task task, backend::NativeStream stream) override;

  backend::NativeStream create_stream(backend::StreamFlags flags) override;
  void destroy_stream(backend::NativeStream stream) noexcept override;
  void synchronize_stream(backend::NativeStream stream) override;
  bool is_stream_done(backend::NativeStream stream) override;
  void synchronize_device() override;

  backend::NativeEvent create_event(bool timing) override;
  void destroy_event(backend::NativeEvent event) noexcept override;
  void record(backend::NativeEvent event, backend::NativeStream stream) override;
  void wait(backend::NativeStream stream, backend::NativeEvent event) override;
  bool is_event_done(backend::NativeEvent event) override;
  void synchronize_event(backend::NativeEvent event) override;
  float elapsed_ms(backend::NativeEvent start, backend::NativeEvent stop) override;

 private:
  using Lock = std::lock_guard<std::recursive_mutex>;
  struct ToyEvent {
    bool timing = false;
    Operation point;
  };
  /// An operand as the engine sees it.
  struct Operand {
    std::byte* address;
    bool pageable;
  };
  /// The bytes from `address` + `begin` to `address` + `end`.
  Operand reach(const char* call, const void* address, index_t begin, index_t end, bool by_kernel) const;
  std::byte* kernel_operand(const char* call, const void* address, const Dims& extents, const Dims& strides,
                            index_t itemsize) const;
  bool owns_address(const void* address) const noexcept;
  void check_stream(const char* call, backend::NativeStream stream) const;
  ToyEvent& find_event(const char* call, backend::NativeEvent event);

  int index_;
  const ToySpace* neighbour_ = nullptr;
  mutable std::recursive_mutex mutex_;
  ToyArena device_memory_, mapped_memory_;
  backend::Ledger ledger_;
  ToyExecutor executor_;
  std::map<backend::NativeEvent, ToyEvent> events_;
  std::uintptr_t last_event_ = 0x20000;
  ToyCounts counts_;
};

}  // namespace ferry::test
