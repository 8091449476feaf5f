// Where memory comes from: one resource per device and kind, replaceable.
#pragma once

#include <atomic>
#include <cstddef>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"

namespace ferry::inline v0 {

/// What a resource has given out. Bytes are those asked for.
struct MemoryStats {
  std::size_t live_blocks = 0;
  std::size_t live_bytes = 0;
  std::size_t peak_bytes = 0;
  std::size_t allocations = 0;    ///< successful ones, ever
  std::size_t deallocations = 0;  ///< ever
};

/// Gives out memory of one kind on one device, in stream order. Derive to use a pool of your own; implement the two
/// do_ functions for any thread. Zero bytes are never asked for.
class FERRY_EXPORT MemoryResource {
 public:
  MemoryResource() = default;
  MemoryResource(const MemoryResource&) = delete;
  MemoryResource& operator=(const MemoryResource&) = delete;
  virtual ~MemoryResource();

  /// At least 256-byte aligned memory that work queued on `stream` may use from now on.
  /// @throws OutOfMemory
  void* allocate(std::size_t bytes, backend::NativeStream stream);
  /// Takes memory back; it is not reused before the work queued on `stream` so far is done.
  void deallocate(void* address, std::size_t bytes, backend::NativeStream stream);
  /// Gives back to the driver what is cached and unused.
  virtual void trim();
  MemoryStats stats() const noexcept;

 private:
  virtual void* do_allocate(std::size_t bytes, backend::NativeStream stream) = 0;
  virtual void do_deallocate(void* address, std::size_t bytes, backend::NativeStream stream) = 0;

  std::atomic<std::size_t> live_bytes_{0}, peak_bytes_{0}, allocations_{0}, deallocations_{0};
};

/// Straight from a device's memory space, without anything kept back. Whether the driver pools device memory by itself
/// is up to MemoryFlags::direct.
class FERRY_EXPORT DirectResource final : public MemoryResource {
 public:
  DirectResource(backend::MemorySpace& space, MemoryKind kind, backend::MemoryFlags flags = {}) noexcept;
  ~DirectResource() override;
  void trim() override;

 private:
  void* do_allocate(std::size_t bytes, backend::NativeStream stream) override;
  void do_deallocate(void* address, std::size_t bytes, backend::NativeStream stream) override;

  backend::MemorySpace& space_;
  MemoryKind kind_;
  backend::MemoryFlags flags_;
};

/// The resources that every device has; see Device::pool.
enum class Pool : unsigned char {
  direct,  ///< every allocation is one of the driver's own: friendly to MPI and to memory shared between processes
  driver,  ///< the driver's stream-ordered pool, where it has one; else as direct
  cached   ///< freed blocks are kept by size and stream, and handed out again without asking the driver
};

}  // namespace ferry::inline v0
