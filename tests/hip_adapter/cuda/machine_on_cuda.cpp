// The adapter's machine as CUDA's devices. Knows nothing of HIP, whose headers do not go together with CUDA's.
#include <cuda_runtime_api.h>

#include "hip_adapter/machine.hpp"

namespace ferry::hip_adapter::machine {

namespace {
// The adapter keeps the record of errors, as HIP's runtime does; CUDA's stays clean.
int status_of(cudaError_t error) {
  if (error != cudaSuccess && cudaPeekAtLastError() == error) static_cast<void>(cudaGetLastError());
  return static_cast<int>(error);
}
cudaStream_t on(void* stream) {
  return static_cast<cudaStream_t>(stream);
}
cudaMemPool_t default_pool() {
  cudaMemPool_t pool = nullptr;
  static_cast<void>(cudaDeviceGetDefaultMemPool(&pool, current_device()));
  return pool;
}
}  // namespace

int device_count() {
  int count = 0;
  return status_of(cudaGetDeviceCount(&count)) == 0 ? count : 0;
}
int multiprocessors(int device) {
  int count = 1;
  static_cast<void>(status_of(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)));
  return count;
}
int current_device() {
  int device = 0;
  static_cast<void>(status_of(cudaGetDevice(&device)));
  return device;
}
int set_device(int device) {
  return status_of(cudaSetDevice(device));
}
int memory_info(std::size_t* free, std::size_t* total) {
  return status_of(cudaMemGetInfo(free, total));
}
int synchronize_device() {
  return status_of(cudaDeviceSynchronize());
}

int allocate(MemoryKind kind, std::size_t bytes, backend::MemoryFlags flags, void* stream, void** address) {
  const unsigned host = (flags.portable ? cudaHostAllocPortable : 0u) |
                        (flags.write_combined ? cudaHostAllocWriteCombined : 0u) |
                        (kind == MemoryKind::mapped ? cudaHostAllocMapped : 0u);
  switch (kind) {
    case MemoryKind::device:
      return status_of(flags.direct ? cudaMalloc(address, bytes) : cudaMallocAsync(address, bytes, on(stream)));
    case MemoryKind::managed:
      return status_of(cudaMallocManaged(address, bytes, cudaMemAttachGlobal));
    default:
      return status_of(cudaHostAlloc(address, bytes, host));
  }
}
int deallocate(int, MemoryKind kind, void* address, std::size_t, bool direct, void* stream) {
  if (kind == MemoryKind::pinned || kind == MemoryKind::mapped) return status_of(cudaFreeHost(address));
  return status_of(direct ? cudaFree(address) : cudaFreeAsync(address, on(stream)));
}
int pool_usage(std::size_t* reserved, std::size_t* used) {
  const int status = status_of(cudaMemPoolGetAttribute(default_pool(), cudaMemPoolAttrReservedMemCurrent, reserved));
  return status != 0 ? status : status_of(cudaMemPoolGetAttribute(default_pool(), cudaMemPoolAttrUsedMemCurrent, used));
}
int trim_pool() {
  return status_of(cudaMemPoolTrimTo(default_pool(), 0));
}
int register_host(void* address, std::size_t bytes, bool portable) {
  return status_of(
      cudaHostRegister(address, bytes, cudaHostRegisterMapped | (portable ? cudaHostRegisterPortable : 0u)));
}
int unregister_host(void* address) {
  return status_of(cudaHostUnregister(address));
}
int query(const void* address, backend::PointerInfo* info) {
  cudaPointerAttributes attributes{};
  if (const int status = status_of(cudaPointerGetAttributes(&attributes, address)); status != 0) return status;
  if (attributes.type == cudaMemoryTypeUnregistered) return 0;
  info->kind = attributes.type == cudaMemoryTypeHost     ? MemoryKind::mapped
               : attributes.type == cudaMemoryTypeDevice ? MemoryKind::device
                                                         : MemoryKind::managed;
  info->device = attributes.device;
  info->device_pointer = attributes.devicePointer;
  return 0;
}

int copy(void* to, const void* from, std::size_t bytes, void* stream) {
  return status_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, on(stream)));
}
int copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                 std::size_t rows, void* stream) {
  return status_of(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, cudaMemcpyDefault, on(stream)));
}
int copy_peer(void* to, int to_device, const void* from, int from_device, std::size_t bytes, void* stream) {
  return status_of(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, on(stream)));
}
int prefetch(const void* address, std::size_t bytes, bool to_device, void* stream) {
#if CUDART_VERSION >= 13000
  cudaMemLocation location{};
  location.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
  location.id = to_device ? current_device() : 0;
  return status_of(cudaMemPrefetchAsync(address, bytes, location, 0, on(stream)));
#else
  return status_of(cudaMemPrefetchAsync(address, bytes, to_device ? current_device() : cudaCpuDeviceId, on(stream)));
#endif
}

int create_stream(bool non_blocking, int priority, void** stream) {
  cudaStream_t made = nullptr;
  const int status = status_of(
      cudaStreamCreateWithPriority(&made, non_blocking ? cudaStreamNonBlocking : cudaStreamDefault, priority));
  *stream = made;
  return status;
}
int destroy_stream(void* stream) {
  return status_of(cudaStreamDestroy(on(stream)));
}
int synchronize_stream(void* stream) {
  return status_of(cudaStreamSynchronize(on(stream)));
}
int query_stream(void* stream) {
  return status_of(cudaStreamQuery(on(stream)));
}
int capture_status(void* stream, int* status) {
  cudaStreamCaptureStatus found{};
  const int result = status_of(cudaStreamIsCapturing(on(stream), &found));
  *status = static_cast<int>(found);
  return result;
}
int exchange_capture_mode(int* mode) {
  auto value = static_cast<cudaStreamCaptureMode>(*mode);
  const int status = status_of(cudaThreadExchangeStreamCaptureMode(&value));
  *mode = static_cast<int>(value);
  return status;
}
void* per_thread_stream() {
  return cudaStreamPerThread;
}

int create_event(bool timing, void** event) {
  cudaEvent_t made = nullptr;
  const int status = status_of(cudaEventCreateWithFlags(&made, timing ? cudaEventDefault : cudaEventDisableTiming));
  *event = made;
  return status;
}
int destroy_event(void* event) {
  return status_of(cudaEventDestroy(static_cast<cudaEvent_t>(event)));
}
int record(void* event, void* stream) {
  return status_of(cudaEventRecord(static_cast<cudaEvent_t>(event), on(stream)));
}
int wait(void* stream, void* event) {
  return status_of(cudaStreamWaitEvent(on(stream), static_cast<cudaEvent_t>(event), 0));
}
int query_event(void* event) {
  return status_of(cudaEventQuery(static_cast<cudaEvent_t>(event)));
}
int synchronize_event(void* event) {
  return status_of(cudaEventSynchronize(static_cast<cudaEvent_t>(event)));
}
int elapsed_ms(void* start, void* stop, float* milliseconds) {
  return status_of(cudaEventElapsedTime(milliseconds, static_cast<cudaEvent_t>(start), static_cast<cudaEvent_t>(stop)));
}

}  // namespace ferry::hip_adapter::machine
