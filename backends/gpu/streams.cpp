// Streams and events.
#include "backends/gpu/entry.hpp"
#include "ferry/backend/fault.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::gpu {

using EventHandle = FERRY_GPU(Event_t);

NativeStream GpuSpace::create_stream(StreamFlags flags) {
  const Entry entry(*this);
  StreamHandle stream = nullptr;
  // Priorities outside the device's range are clamped by the driver.
  check("StreamCreateWithPriority",
        FERRY_GPU(StreamCreateWithPriority)(
            &stream, flags.non_blocking ? FERRY_GPU(StreamNonBlocking) : FERRY_GPU(StreamDefault), flags.priority));
  return stream;
}

void GpuSpace::destroy_stream(NativeStream stream) noexcept {
  if (is_lost()) return;
  try {
    const Entry entry(*this);
    check("StreamDestroy", FERRY_GPU(StreamDestroy)(static_cast<StreamHandle>(stream)));
  } catch (const DeviceError& error) {
    if (!fault::means_gone(error)) report_error(error.what());
  }
}

void GpuSpace::synchronize_stream(NativeStream stream) {
  const Entry entry(*this);
  check("StreamSynchronize", FERRY_GPU(StreamSynchronize)(static_cast<StreamHandle>(stream)));
}

namespace {
// "Not ready" is an answer, not an error, though some versions record it as one.
bool is_not_ready(FERRY_GPU(Error_t) status) {
  if (status != FERRY_GPU(ErrorNotReady)) return false;
  if (FERRY_GPU(PeekAtLastError)() == status) static_cast<void>(FERRY_GPU(GetLastError)());
  return true;
}
}  // namespace

bool GpuSpace::is_stream_done(NativeStream stream) {
  const Entry entry(*this);
  const Status status = FERRY_GPU(StreamQuery)(static_cast<StreamHandle>(stream));
  if (is_not_ready(status)) return false;
  check("StreamQuery", status);
  return true;
}

bool GpuSpace::is_capturing(NativeStream stream) {
  const Entry entry(*this);
  FERRY_GPU(StreamCaptureStatus) capture{};
  const Status status = FERRY_GPU(StreamIsCapturing)(static_cast<StreamHandle>(stream), &capture);
  if (status == FERRY_GPU(ErrorStreamCaptureImplicit)) {  // the legacy stream, while a blocking stream is captured
    if (FERRY_GPU(PeekAtLastError)() == status) static_cast<void>(FERRY_GPU(GetLastError)());
    return true;
  }
  check("StreamIsCapturing", status);
  return capture != FERRY_GPU(StreamCaptureStatusNone);
}

void GpuSpace::synchronize_device() {
  const Entry entry(*this);
  check("DeviceSynchronize", FERRY_GPU(DeviceSynchronize)());
}

NativeEvent GpuSpace::create_event(bool timing) {
  const Entry entry(*this);
  EventHandle event = nullptr;
  check("EventCreateWithFlags",
        FERRY_GPU(EventCreateWithFlags)(&event, timing ? FERRY_GPU(EventDefault) : FERRY_GPU(EventDisableTiming)));
  return event;
}

void GpuSpace::destroy_event(NativeEvent event) noexcept {
  if (is_lost()) return;
  try {
    const Entry entry(*this);
    check("EventDestroy", FERRY_GPU(EventDestroy)(static_cast<EventHandle>(event)));
  } catch (const DeviceError& error) {
    if (!fault::means_gone(error)) report_error(error.what());
  }
}

void GpuSpace::record(NativeEvent event, NativeStream stream) {
  const Entry entry(*this);
  check("EventRecord", FERRY_GPU(EventRecord)(static_cast<EventHandle>(event), static_cast<StreamHandle>(stream)));
}

void GpuSpace::wait(NativeStream stream, NativeEvent event) {
  const Entry entry(*this);
  check("StreamWaitEvent",
        FERRY_GPU(StreamWaitEvent)(static_cast<StreamHandle>(stream), static_cast<EventHandle>(event), 0));
}

bool GpuSpace::is_event_done(NativeEvent event) {
  const Entry entry(*this);
  const Status status = FERRY_GPU(EventQuery)(static_cast<EventHandle>(event));
  if (is_not_ready(status)) return false;
  check("EventQuery", status);
  return true;
}

void GpuSpace::synchronize_event(NativeEvent event) {
  const Entry entry(*this);
  check("EventSynchronize", FERRY_GPU(EventSynchronize)(static_cast<EventHandle>(event)));
}

float GpuSpace::elapsed_ms(NativeEvent start, NativeEvent stop) {
  const Entry entry(*this);
  float milliseconds = 0;
  check("EventElapsedTime",
        FERRY_GPU(EventElapsedTime)(&milliseconds, static_cast<EventHandle>(start), static_cast<EventHandle>(stop)));
  return milliseconds;
}

}  // namespace ferry::inline v0::backend::gpu
