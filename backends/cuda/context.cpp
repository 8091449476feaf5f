#include "backends/cuda/context.hpp"

#include <cuda_runtime_api.h>

#include "ferry/backend/fault.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::gpu {

namespace {

// The driver's own calls, taken from the runtime, so that Ferry loads where no driver is installed.
template <class F>
F* entry_point(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found);
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) {
    cudaGetLastError();
    throw DeviceError(std::string("cuda: ") + name, static_cast<int>(status), "the driver lacks this call: update it");
  }
  return reinterpret_cast<F*>(address);
}

struct Driver {
  decltype(cuCtxGetCurrent)* get_current = entry_point<decltype(cuCtxGetCurrent)>("cuCtxGetCurrent");
  decltype(cuCtxPushCurrent)* push = entry_point<decltype(cuCtxPushCurrent)>("cuCtxPushCurrent");
  decltype(cuCtxPopCurrent)* pop = entry_point<decltype(cuCtxPopCurrent)>("cuCtxPopCurrent");
  decltype(cuCtxGetId)* get_id = entry_point<decltype(cuCtxGetId)>("cuCtxGetId");
  decltype(cuDevicePrimaryCtxRetain)* retain =
      entry_point<decltype(cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain");
  decltype(cuDeviceGet)* get_device = entry_point<decltype(cuDeviceGet)>("cuDeviceGet");
};
const Driver& driver() {
  static const Driver& calls = *new Driver;  // never destroyed: arrays of static lifetime use it late
  return calls;
}

void check(const char* call, CUresult result) {
  if (result == CUDA_SUCCESS) return;
  throw DeviceError(std::string("cuda: ") + call, static_cast<int>(result), "the driver's own code",
                    result == CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

}  // namespace

void DeviceContext::create() {
  CUdevice handle{};
  check("cuDeviceGet", driver().get_device(&handle, device_));
  CUcontext context = nullptr;
  check("cuDevicePrimaryCtxRetain", driver().retain(&context, handle));
  check("cuCtxGetId", driver().get_id(context, &id_));
  context_ = context;
}

bool DeviceContext::is_alive() const noexcept {
  unsigned long long id = 0;
  return context_ == nullptr || (driver().get_id(context_, &id) == CUDA_SUCCESS && id == id_);
}

int DeviceContext::enter() {
  std::call_once(once_, [this] { create(); });
  unsigned long long id = 0;
  const CUresult result = driver().get_id(context_, &id);
  if (result == CUDA_ERROR_DEINITIALIZED) {
    fault::raise("cuda", "any call", fault::unloading, "the process is ending, and the driver has let go", true);
  }
  if (result != CUDA_SUCCESS || id != id_) {
    fault::raise("cuda", "any call", fault::context_destroyed,
                 "somebody has reset the device, and with it all that Ferry had made there", true);
  }
  CUcontext current = nullptr;
  check("cuCtxGetCurrent", driver().get_current(&current));
  if (current == context_) return 0;
  check("cuCtxPushCurrent", driver().push(context_));
  return 1;
}

void DeviceContext::leave(int entered) noexcept {
  CUcontext popped = nullptr;
  if (entered != 0) driver().pop(&popped);
}

}  // namespace ferry::inline v0::backend::gpu
