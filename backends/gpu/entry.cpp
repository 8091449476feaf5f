// What becomes of a call when the device is fine, failing, lost, or gone with the end of the process.
#include "backends/gpu/entry.hpp"

#include <pthread.h>

#include "ferry/backend/fault.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::gpu {

namespace {

// A child process has copies of all handles, and a driver that must not be called with them.
std::atomic<bool> is_forked_child{false};
const int watch_forks = pthread_atfork(nullptr, nullptr, [] { is_forked_child = true; });

}  // namespace

GpuSpace::Entry::Entry(const GpuSpace& space) : space_(space), entered_(0) {
  static_cast<void>(watch_forks);
  if (is_forked_child.load(std::memory_order_relaxed)) {
    fault::raise(gpu::backend_name, "any call", fault::initialization,
                 "this process was forked from one that used the GPU; start it with exec instead", true);
  }
  if (const int lost = space.lost_.load(std::memory_order_relaxed); lost != 0) {
    space.fail("any call, as an earlier one", static_cast<Status>(lost));
  }
  entered_ = space.context_.enter();
  static_cast<void>(FERRY_GPU(ThreadExchangeStreamCaptureMode)(&mode_));
}

void GpuSpace::forget(Status status) noexcept {
  if (FERRY_GPU(PeekAtLastError)() == status) static_cast<void>(FERRY_GPU(GetLastError)());
}

void GpuSpace::fail(const char* call, Status status, const char* advice) const {
  forget(status);  // the exception tells of it
  const bool fatal = is_fatal(status) || is_unloading(status);
  if (is_fatal(status)) lost_.store(static_cast<int>(status), std::memory_order_relaxed);
  throw DeviceError(std::string(gpu::backend_name) + ":" + std::to_string(device_) + ": " + call + " (" +
                        FERRY_GPU(GetErrorString)(status) + advice + ")",
                    static_cast<int>(status), FERRY_GPU(GetErrorName)(status), fatal);
}

void GpuSpace::check(const char* call, Status status, const char* advice) const {
  if (status != FERRY_GPU(Success)) fail(call, status, advice);
}

bool GpuSpace::is_lost() const noexcept {
  return is_forked_child.load(std::memory_order_relaxed) || lost_.load(std::memory_order_relaxed) != 0;
}
bool GpuSpace::is_gone() const noexcept {
  return is_lost() || !context_.is_alive();
}

}  // namespace ferry::inline v0::backend::gpu
