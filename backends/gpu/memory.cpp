// Allocations of every kind, registration of host memory, and what is known of an address.
#include <unistd.h>

#include <new>

#include "backends/gpu/entry.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::gpu {

namespace {

constexpr std::align_val_t host_alignment{256};

std::size_t machine_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

std::size_t attribute(int device, DeviceAttribute what) {
  int value = 0;
  if (FERRY_GPU(DeviceGetAttribute)(&value, what, device) != FERRY_GPU(Success)) {
    static_cast<void>(FERRY_GPU(GetLastError)());
  }
  return static_cast<std::size_t>(value);
}

}  // namespace

GpuSpace::GpuSpace(int device) : device_(device), context_(device), ledger_(gpu::backend_name, device) {
  pooled_ = attribute(device, attribute_memory_pools) != 0 && is_pool_sound();
  reads_pageable_memory_ = attribute(device, attribute_host_page_tables) != 0;
  multiprocessors_ = static_cast<int>(attribute(device, attribute_multiprocessors));
  max_pitch_ = attribute(device, attribute_max_pitch);
}
GpuSpace::~GpuSpace() = default;

Capabilities GpuSpace::capabilities() const noexcept {
  return {.asynchronous = true, .peer_copies = true, .pooled = pooled_};
}

FERRY_GPU(MemPool_t) GpuSpace::pool() {
  std::call_once(pool_once_, [this] {
    FERRY_GPU(MemPoolProps) properties{};
    properties.allocType = FERRY_GPU(MemAllocationTypePinned);
    properties.location.type = FERRY_GPU(MemLocationTypeDevice);
    properties.location.id = device_;
    FERRY_GPU(MemPool_t) pool = nullptr;
    check("MemPoolCreate", FERRY_GPU(MemPoolCreate)(&pool, &properties));
    // Without a threshold the driver unmaps what is free at each synchronisation, and maps it again at the next call.
    std::uint64_t keep = UINT64_MAX;
    check("MemPoolSetAttribute", FERRY_GPU(MemPoolSetAttribute)(pool, FERRY_GPU(MemPoolAttrReleaseThreshold), &keep));
    pool_ = pool;
  });
  return pool_;
}

MemoryInfo GpuSpace::memory_info() const {
  const Entry entry(*this);
  MemoryInfo info;
  check("MemGetInfo", FERRY_GPU(MemGetInfo)(&info.free, &info.total));
  if (pool_ != nullptr) {  // what the pool keeps unused is free for Ferry
    std::uint64_t reserved = 0, used = 0;
    check("MemPoolGetAttribute",
          FERRY_GPU(MemPoolGetAttribute)(pool_, FERRY_GPU(MemPoolAttrReservedMemCurrent), &reserved));
    check("MemPoolGetAttribute", FERRY_GPU(MemPoolGetAttribute)(pool_, FERRY_GPU(MemPoolAttrUsedMemCurrent), &used));
    info.free += reserved - used;
  }
  return info;
}

std::string GpuSpace::description() const {
  DeviceProperties properties{};
  check("GetDeviceProperties", FERRY_GPU(GetDeviceProperties)(&properties, device_));
  int driver = 0, runtime = 0;
  check("DriverGetVersion", FERRY_GPU(DriverGetVersion)(&driver));
  check("RuntimeGetVersion", FERRY_GPU(RuntimeGetVersion)(&runtime));
  return std::string(properties.name) + ", " + architecture_text(properties, device_) + ", driver " +
         version_text(driver) + ", runtime " + version_text(runtime);
}

void GpuSpace::trim() {
  const Entry entry(*this);
  if (pool_ != nullptr) check("MemPoolTrimTo", FERRY_GPU(MemPoolTrimTo)(pool_, 0));
}

void* GpuSpace::allocate_kind(MemoryKind kind, std::size_t bytes, MemoryFlags& flags, StreamHandle stream) {
  // Sizes that no machine has are refused here: a driver may round them up to something small.
  const std::size_t machine = machine_memory();
  const bool on_device = kind == MemoryKind::device || kind == MemoryKind::managed;
  MemoryInfo info;
  void* address = nullptr;
  Status status = FERRY_GPU(ErrorMemoryAllocation);
  if (bytes <= (on_device ? SIZE_MAX / 4 : machine)) {
    switch (kind) {
      case MemoryKind::pageable:
        address = ::operator new(bytes, host_alignment, std::nothrow);
        if (address != nullptr) status = FERRY_GPU(Success);
        break;
      case MemoryKind::pinned:
      case MemoryKind::mapped:
        status = host_alloc(&address, bytes, flags, kind == MemoryKind::mapped);
        break;
      case MemoryKind::managed:
        // More than both memories together can never be backed, and drivers find that out only when it is touched.
        check("MemGetInfo", FERRY_GPU(MemGetInfo)(&info.free, &info.total));
        if (bytes <= info.total + machine) status = managed_alloc(&address, bytes, flags, device_);
        break;
      case MemoryKind::device:
        if (pooled_ && !flags.direct) {
          status = FERRY_GPU(MallocFromPoolAsync)(&address, bytes, pool(), stream);
          if (!pool_fails_early || status != FERRY_GPU(ErrorMemoryAllocation)) break;
          forget(status);
        }
        flags.direct = true;
        status = FERRY_GPU(Malloc)(&address, bytes);
        break;
    }
  }
  if (status == FERRY_GPU(Success)) return address;
  if (status != FERRY_GPU(ErrorMemoryAllocation)) fail("allocate", status);
  forget(status);
  const std::string where =
      std::string(gpu::backend_name) + ":" + std::to_string(device_) + ", " + std::string(to_string(kind)) + " memory";
  if (on_device) {
    info = memory_info();
    throw OutOfMemory(where, bytes, info.free, info.total);
  }
  const auto free =
      static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  throw OutOfMemory(where, bytes, free, machine);
}

void* GpuSpace::allocate(MemoryKind kind, std::size_t bytes, MemoryFlags flags, NativeStream stream) {
  if (bytes == 0) return nullptr;
  const Entry entry(*this);
  auto* const on = static_cast<StreamHandle>(stream);
  void* const address = allocate_kind(kind, bytes, flags, on);
  try {
    ledger_.add_allocation(address, bytes, kind, flags);
  } catch (...) {
    free_kind(kind, address, bytes, flags, on);
    throw;
  }
  return address;
}

void GpuSpace::free_kind(MemoryKind kind, void* address, std::size_t bytes, MemoryFlags flags, StreamHandle stream) {
  if (kind == MemoryKind::device && pooled_ && !flags.direct) {
    check("FreeAsync", FERRY_GPU(FreeAsync)(address, stream));
    return;
  }
  // The other kinds are given back at once, so their work must be over.
  check("StreamSynchronize", FERRY_GPU(StreamSynchronize)(stream));
  switch (kind) {
    case MemoryKind::pageable:
      ::operator delete(address, host_alignment);
      break;
    case MemoryKind::pinned:
    case MemoryKind::mapped:
      check("FreeHost", host_free(address));
      break;
    case MemoryKind::managed:
      check("Free", managed_free(address, bytes, flags, device_));
      break;
    case MemoryKind::device:
      check("Free", FERRY_GPU(Free)(address));
      break;
  }
}

void GpuSpace::deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream stream) {
  if (address == nullptr && bytes == 0) return;
  const MemoryFlags flags = ledger_.remove_allocation(address, bytes, kind);
  if (is_gone()) {  // with the device went its memory
    if (kind == MemoryKind::pageable) ::operator delete(address, host_alignment);
    return;
  }
  const Entry entry(*this);
  free_kind(kind, address, bytes, flags, static_cast<StreamHandle>(stream));
}

void GpuSpace::register_host(void* address, std::size_t bytes, MemoryFlags flags) {
  if (bytes == 0) return;
  const Entry entry(*this);
  ledger_.add_registration(address, bytes);
  struct Context {
    GpuSpace* space;
    MemoryFlags flags;
  } context{this, flags};
  try {
    page_locks_.lock(
        static_cast<std::byte*>(address), bytes,
        [](void* c, void* pages, std::size_t size) {
          const auto& [space, wanted] = *static_cast<Context*>(c);
          space->check("HostRegister", host_register(pages, size, wanted), registration_advice);
        },
        [](void* c, void* pages) {
          const auto& [space, wanted] = *static_cast<Context*>(c);
          space->check("HostUnregister", FERRY_GPU(HostUnregister)(pages));
        },
        &context);
  } catch (...) {
    ledger_.remove_registration(address);
    throw;
  }
}

void GpuSpace::unregister_host(void* address) {
  const std::size_t bytes = ledger_.remove_registration(address);
  if (is_gone()) return;
  const Entry entry(*this);
  page_locks_.unlock(
      static_cast<std::byte*>(address), bytes,
      [](void* space, void* pages) {
        static_cast<GpuSpace*>(space)->check("HostUnregister", FERRY_GPU(HostUnregister)(pages));
      },
      this);
}

PointerInfo GpuSpace::query(const void* address) const noexcept {
  PointerInfo info = ledger_.find(address);
  if (info.base != nullptr && info.kind == MemoryKind::pageable) return {};
  const bool known = info.base != nullptr;
  if (known && info.kind != MemoryKind::pinned && info.kind != MemoryKind::mapped) {
    info.device_pointer = const_cast<void*>(address);
    return info;
  }
  // Page-locked memory may have another address on the device; of memory that is not Ferry's, the driver knows more.
  try {
    std::vector<const std::byte*> cuts;
    // The rest of a page that Ferry has locked for a neighbour.
    if (!known && page_locks_.cuts(static_cast<const std::byte*>(address), 1, cuts)) return {};
    const Entry entry(*this);
    PointerAttributes attributes{};
    const Status status = FERRY_GPU(PointerGetAttributes)(&attributes, address);
    if (status != FERRY_GPU(Success)) {
      forget(status);
      return info;
    }
    info.device_pointer = attributes.devicePointer;
    if (known) return info;
    info.kind = kind_of(attributes);
    if (info.kind == MemoryKind::pageable) return {};
    info.device = attributes.device;
  } catch (...) {
  }
  return info;
}

}  // namespace ferry::inline v0::backend::gpu
