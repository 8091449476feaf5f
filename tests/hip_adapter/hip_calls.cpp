// The HIP runtime calls that the backend makes, and no others: a program in which it makes one more does not link.
// Where AMD's runtime is stricter than others, so is this: pitched copies have a limit of rows, a range must not be
// page-locked in part, and advice must be taken back before memory is.
#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "hip_adapter/differences.hpp"
#include "hip_adapter/machine.hpp"
#include "hip_adapter/streams.hpp"

namespace ferry::hip_adapter {

namespace {

using backend::PointerInfo;

constexpr unsigned most_rows = 1 << 20;

thread_local hipError_t last_error = hipSuccess;
hipError_t done(int status) {
  const auto error = static_cast<hipError_t>(status);
  if (error != hipSuccess) last_error = error;
  return error;
}

// As some runtimes do, it also records what is an answer rather than an error; here, where nothing worse is recorded.
hipError_t answer(int status) {
  const auto error = static_cast<hipError_t>(status);
  if (last_error == hipSuccess) last_error = error;
  return error;
}

struct Piece {
  MemoryKind kind = MemoryKind::device;
  std::size_t bytes = 0;
  int device = 0;
  bool direct = false, coarse = false;
  unsigned flags = 0;
};
// Of allocations and of registrations: memory may be both.
struct Books {
  std::mutex mutex;
  std::map<const void*, Piece> allocations, registrations;
  Calls calls;
};
Books& books() {
  static Books& instance = *new Books;  // arrays of static lifetime give memory back late
  return instance;
}

Differences read_differences() {
  Differences found;
  const char* text = std::getenv("FERRY_HIP_ADAPTER");
  std::string list = text != nullptr ? text : "";
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string name = list.substr(0, comma);
    list.erase(0, comma + 1);
    if (name == "no-async-malloc") {
      found.no_async_malloc = true;
    } else if (name == "async-out-of-memory") {
      found.async_out_of_memory = true;
    } else if (name == "xnack-off") {
      found.xnack_off = true;
    } else if (name == "no-registration") {
      found.no_registration = true;
    } else {
      std::fprintf(stderr, "FERRY_HIP_ADAPTER: there is no difference named '%s'\n", name.c_str());
      std::abort();
    }
  }
  return found;
}

hipError_t allocate(MemoryKind kind, void** address, std::size_t bytes, backend::MemoryFlags flags, unsigned bits,
                    hipStream_t stream) {
  const int status = machine::allocate(kind, bytes, flags, native(stream), address);
  if (status == 0) {
    Books& b = books();
    const std::lock_guard lock(b.mutex);
    b.allocations[*address] = {kind, bytes, machine::current_device(), flags.direct, false, bits};
  }
  return done(status);
}

// Kinds are those that the call may free: on the host, or not.
hipError_t free_memory(void* address, bool on_host, bool ordered, hipStream_t stream) {
  Piece piece;
  {
    Books& b = books();
    const std::lock_guard lock(b.mutex);
    const auto found = b.allocations.find(address);
    if (found == b.allocations.end()) return done(hipErrorInvalidValue);
    piece = found->second;
    const bool is_host = piece.kind == MemoryKind::pinned || piece.kind == MemoryKind::mapped;
    if (is_host != on_host || piece.coarse || ordered == piece.direct) return done(hipErrorInvalidValue);
    b.allocations.erase(found);
  }
  return done(machine::deallocate(piece.device, piece.kind, address, piece.bytes, piece.direct, native(stream)));
}

// Whether a copy would cross an end of memory that the runtime knows.
bool crosses(const void* address, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(address);
  Books& b = books();
  const std::lock_guard lock(b.mutex);
  for (const auto* pieces : {&b.allocations, &b.registrations}) {
    auto piece = pieces->upper_bound(begin + bytes - 1);
    if (piece == pieces->begin()) continue;
    const auto* const first = static_cast<const std::byte*>((--piece)->first);
    const std::byte* const end = first + piece->second.bytes;
    if (begin < end && (begin < first || begin + bytes > end)) return true;
  }
  return false;
}

}  // namespace

const Differences& differences() {
  static const Differences found = read_differences();
  return found;
}

Known known(const void* address) {
  Books& b = books();
  const std::lock_guard lock(b.mutex);
  for (const auto* pieces : {&b.allocations, &b.registrations}) {
    if (const auto found = pieces->find(address); found != pieces->end()) {
      return {true, found->second.flags, found->second.coarse};
    }
  }
  return {};
}

Calls calls() {
  Books& b = books();
  const std::lock_guard lock(b.mutex);
  return b.calls;
}

}  // namespace ferry::hip_adapter

using namespace ferry;
using namespace ferry::hip_adapter;

// Their declarations are in the runtime's header.
extern "C" {

hipError_t hipGetLastError(void) {
  const hipError_t error = last_error;
  last_error = hipSuccess;
  return error;
}
hipError_t hipPeekAtLastError(void) {
  return last_error;
}
const char* hipGetErrorName(hipError_t error) {
  switch (error) {
    case hipSuccess:
      return "hipSuccess";
    case hipErrorInvalidValue:
      return "hipErrorInvalidValue";
    case hipErrorOutOfMemory:
      return "hipErrorOutOfMemory";
    case hipErrorInvalidHandle:
      return "hipErrorInvalidHandle";
    case hipErrorNotReady:
      return "hipErrorNotReady";
    case hipErrorHostMemoryAlreadyRegistered:
      return "hipErrorHostMemoryAlreadyRegistered";
    case hipErrorHostMemoryNotRegistered:
      return "hipErrorHostMemoryNotRegistered";
    case hipErrorNoDevice:
      return "hipErrorNoDevice";
    default:
      return "hipErrorUnknown";
  }
}
const char* hipGetErrorString(hipError_t error) {
  return hipGetErrorName(error);
}

hipError_t hipGetDeviceCount(int* count) {
  *count = machine::device_count();
  return done(*count > 0 ? 0 : hipErrorNoDevice);
}
hipError_t hipGetDevice(int* device) {
  *device = machine::current_device();
  return hipSuccess;
}
hipError_t hipSetDevice(int device) {
  return done(machine::set_device(device));
}
hipError_t hipDeviceSynchronize(void) {
  return done(machine::synchronize_device());
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  switch (attribute) {
    case hipDeviceAttributeMemoryPoolsSupported:
      *value = !differences().no_async_malloc;
      return hipSuccess;
    case hipDeviceAttributeConcurrentManagedAccess:
      *value = !differences().xnack_off;
      return hipSuccess;
    case hipDeviceAttributePageableMemoryAccessUsesHostPageTables:
      *value = 0;
      return hipSuccess;
    case hipDeviceAttributeMultiprocessorCount:
      *value = machine::multiprocessors(device);
      return hipSuccess;
    case hipDeviceAttributeMaxPitch:
      *value = 0x7FFFFFFF;
      return hipSuccess;
    default:
      return done(hipErrorInvalidValue);
  }
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  if (device < 0 || device >= machine::device_count()) return done(hipErrorInvalidValue);
  *properties = hipDeviceProp_t{};
  std::strncpy(properties->name, "HIP adapter", sizeof properties->name - 1);
  std::strncpy(properties->gcnArchName, differences().xnack_off ? "gfx90a:sramecc+:xnack-" : "gfx90a:sramecc+:xnack+",
               sizeof properties->gcnArchName - 1);
  return hipSuccess;
}
hipError_t hipDriverGetVersion(int* version) {
  *version = HIP_VERSION;
  return hipSuccess;
}
hipError_t hipRuntimeGetVersion(int* version) {
  *version = HIP_VERSION;
  return hipSuccess;
}
hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return done(machine::memory_info(free, total));
}

hipError_t hipMalloc(void** address, std::size_t bytes) {
  {
    const std::lock_guard lock(books().mutex);
    ++books().calls.malloc;
  }
  return allocate(MemoryKind::device, address, bytes, {.direct = true}, 0, nullptr);
}
hipError_t hipFree(void* address) {
  return address == nullptr ? hipSuccess : free_memory(address, false, false, nullptr);
}
hipError_t hipHostMalloc(void** address, std::size_t bytes, unsigned flags) {
  const auto kind = (flags & hipHostMallocMapped) != 0 ? MemoryKind::mapped : MemoryKind::pinned;
  return allocate(kind, address, bytes,
                  {.portable = (flags & hipHostMallocPortable) != 0,
                   .write_combined = (flags & hipHostMallocWriteCombined) != 0,
                   .direct = true},
                  flags, nullptr);
}
hipError_t hipHostFree(void* address) {
  return address == nullptr ? hipSuccess : free_memory(address, true, false, nullptr);
}
hipError_t hipMallocManaged(void** address, std::size_t bytes, unsigned flags) {
  return allocate(MemoryKind::managed, address, bytes, {.direct = true}, flags, nullptr);
}
hipError_t hipMemAdvise(const void* address, std::size_t bytes, hipMemoryAdvise advice, int) {
  Books& b = books();
  const std::lock_guard lock(b.mutex);
  const auto found = b.allocations.find(address);
  if (found == b.allocations.end() || found->second.kind != MemoryKind::managed || found->second.bytes != bytes) {
    return done(hipErrorInvalidValue);
  }
  if (advice != hipMemAdviseSetCoarseGrain && advice != hipMemAdviseUnsetCoarseGrain) {
    return done(hipErrorInvalidValue);
  }
  found->second.coarse = advice == hipMemAdviseSetCoarseGrain;
  return hipSuccess;
}

// One pool, the machine's; its handle only has to be none.
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  if (differences().no_async_malloc || properties->location.type != hipMemLocationTypeDevice) {
    return done(hipErrorNotSupported);
  }
  static char handle;
  *pool = reinterpret_cast<hipMemPool_t>(&handle);
  return hipSuccess;
}
hipError_t hipMemPoolSetAttribute(hipMemPool_t, hipMemPoolAttr attribute, void*) {
  return done(attribute == hipMemPoolAttrReleaseThreshold ? 0 : hipErrorInvalidValue);
}
hipError_t hipMemPoolGetAttribute(hipMemPool_t, hipMemPoolAttr attribute, void* value) {
  std::size_t reserved = 0, used = 0;
  const int status = machine::pool_usage(&reserved, &used);
  if (attribute != hipMemPoolAttrReservedMemCurrent && attribute != hipMemPoolAttrUsedMemCurrent) {
    return done(hipErrorInvalidValue);
  }
  *static_cast<std::uint64_t*>(value) = attribute == hipMemPoolAttrReservedMemCurrent ? reserved : used;
  return done(status);
}
hipError_t hipMemPoolTrimTo(hipMemPool_t, std::size_t) {
  return done(machine::trim_pool());
}
hipError_t hipMallocFromPoolAsync(void** address, std::size_t bytes, hipMemPool_t, hipStream_t stream) {
  {
    const std::lock_guard lock(books().mutex);
    ++books().calls.malloc_from_pool;
  }
  if (differences().no_async_malloc) return done(hipErrorNotSupported);
  if (differences().async_out_of_memory) return done(hipErrorOutOfMemory);
  return allocate(MemoryKind::device, address, bytes, {}, 0, stream);
}
hipError_t hipFreeAsync(void* address, hipStream_t stream) {
  return free_memory(address, false, true, stream);
}

hipError_t hipHostRegister(void* address, std::size_t bytes, unsigned flags) {
  if (differences().no_registration) return done(hipErrorOutOfMemory);
  const int status = machine::register_host(address, bytes, (flags & hipHostRegisterPortable) != 0);
  if (status == 0) {
    const std::lock_guard lock(books().mutex);
    books().registrations[address] = {MemoryKind::mapped, bytes, machine::current_device(), false, false, flags};
  }
  return done(status);
}
hipError_t hipHostUnregister(void* address) {
  const int status = machine::unregister_host(address);
  if (status == 0) {
    const std::lock_guard lock(books().mutex);
    books().registrations.erase(address);
  }
  return done(status);
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* address) {
  PointerInfo info;
  if (const int status = machine::query(address, &info); status != 0) return done(status);
  *attributes = hipPointerAttribute_t{};
  if (info.kind == MemoryKind::pageable) {
#if HIP_VERSION_MAJOR >= 6
    attributes->type = hipMemoryTypeUnregistered;
    return hipSuccess;
#else
    return answer(hipErrorInvalidValue);
#endif
  }
  const auto type =
      info.kind == MemoryKind::device || info.kind == MemoryKind::managed ? hipMemoryTypeDevice : hipMemoryTypeHost;
#if HIP_VERSION_MAJOR >= 6
  attributes->type = type;
#else
  attributes->memoryType = type;
#endif
  attributes->isManaged = info.kind == MemoryKind::managed;
  attributes->device = info.device;
  attributes->devicePointer = info.device_pointer;
  return hipSuccess;
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind, hipStream_t stream) {
  if (bytes == 0) return hipSuccess;
  if (crosses(to, bytes) || crosses(from, bytes)) return done(hipErrorInvalidValue);
  return done(machine::copy(to, from, bytes, native(stream)));
}
hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t rows, hipMemcpyKind, hipStream_t stream) {
  {
    const std::lock_guard lock(books().mutex);
    ++books().calls.memcpy_2d;
  }
  if (rows > most_rows || width > to_pitch || width > from_pitch) return done(hipErrorInvalidValue);
  if (width == 0 || rows == 0) return hipSuccess;
  if (crosses(to, to_pitch * (rows - 1) + width) || crosses(from, from_pitch * (rows - 1) + width)) {
    return done(hipErrorInvalidValue);
  }
  return done(machine::copy_pitched(to, to_pitch, from, from_pitch, width, rows, native(stream)));
}
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                              hipStream_t stream) {
  return done(machine::copy_peer(to, to_device, from, from_device, bytes, native(stream)));
}
hipError_t hipMemPrefetchAsync(const void* address, std::size_t bytes, int device, hipStream_t stream) {
  return done(machine::prefetch(address, bytes, device != hipCpuDeviceId, native(stream)));
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  void* made = nullptr;
  const int status = machine::create_stream((flags & hipStreamNonBlocking) != 0, priority, &made);
  *stream = static_cast<hipStream_t>(made);
  return done(status);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  return done(machine::destroy_stream(native(stream)));
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return done(machine::synchronize_stream(native(stream)));
}
hipError_t hipStreamQuery(hipStream_t stream) {
  return answer(machine::query_stream(native(stream)));
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* capture) {
  int found = 0;
  const int status = machine::capture_status(native(stream), &found);
  *capture = static_cast<hipStreamCaptureStatus>(found);
  return done(status);
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  int number = *mode;
  const int status = machine::exchange_capture_mode(&number);
  *mode = static_cast<hipStreamCaptureMode>(number);
  return done(status);
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  return done(machine::wait(native(stream), event));
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  void* made = nullptr;
  const int status = machine::create_event((flags & hipEventDisableTiming) == 0, &made);
  *event = static_cast<hipEvent_t>(made);
  return done(status);
}
hipError_t hipEventDestroy(hipEvent_t event) {
  return done(machine::destroy_event(event));
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return done(machine::record(event, native(stream)));
}
hipError_t hipEventQuery(hipEvent_t event) {
  return answer(machine::query_event(event));
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  return done(machine::synchronize_event(event));
}
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  return done(machine::elapsed_ms(start, stop, milliseconds));
}

}  // extern "C"
