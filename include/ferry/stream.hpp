// Streams and events: shared handles to a device's queues, and to points in them.
#pragma once

#include <memory>
#include <utility>

#include "ferry/backend/call_scope.hpp"
#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"
#include "ferry/device.hpp"
#include "ferry/task.hpp"

namespace ferry::inline v0 {

namespace detail {
class StreamState;
struct EventState;
}  // namespace detail

class Stream;

/// A point in a stream's work. A shared handle.
class FERRY_EXPORT Event {
 public:
  /// Never recorded: ready at once.
  Event() noexcept = default;
  /// Whether the work before it is done. Does not block.
  bool ready() const;
  /// Blocks the host until it is.
  void wait() const;

 private:
  friend class Stream;
  friend FERRY_EXPORT float elapsed_ms(const Event& start, const Event& stop);
  std::shared_ptr<detail::EventState> state_;
};

/// Milliseconds between two events recorded with timing. Waits for both.
/// @throws AccessError when one was recorded without timing, or never, or they belong to different devices
FERRY_EXPORT float elapsed_ms(const Event& start, const Event& stop);

struct StreamOptions {
  bool non_blocking = false;  ///< does not order with the legacy default stream
  int priority = 0;           ///< lower runs first
};

/// A queue of work on one device. A shared handle: arrays bound to a stream keep it, and its last handle destroys it,
/// after which the work still queued completes. May be used from any thread.
class FERRY_EXPORT Stream {
 public:
  /// No stream named: a call takes the array's bound stream, else the device's legacy default stream, and is
  /// synchronous.
  Stream() noexcept = default;
  /// A new stream.
  explicit Stream(const Device& device, StreamOptions options = {});
  /// A foreign stream, never destroyed by Ferry. It must outlive the work that Ferry queues on it.
  static Stream wrap(const Device& device, backend::NativeStream native);

  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// Waits for all work queued so far, and throws what it failed with.
  void synchronize() const;
  /// Whether synchronize() would return at once.
  bool ready() const;
  Event record(bool timing = false) const;
  /// Later work on this stream waits for the event; the host does not.
  void wait(const Event& event) const;

  Device device() const;
  /// The vendor's handle; null for the legacy default stream.
  backend::NativeStream native() const;

  friend bool operator==(const Stream&, const Stream&) noexcept = default;

 private:
  friend class Device;
  friend class detail::StreamState;
  explicit Stream(std::shared_ptr<detail::StreamState> state) noexcept : state_(std::move(state)) {}
  detail::StreamState& state() const;
  std::shared_ptr<detail::StreamState> state_;
};

namespace detail {
/// Makes a stream's device current for the calling thread, as long as it lives: kernel launches go there.
class CurrentDevice {
 public:
  explicit CurrentDevice(backend::MemorySpace& space) : space_(space), former_(space.make_current()) {}
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { space_.restore_current(former_); }

 private:
  backend::MemorySpace& space_;
  int former_;
};
}  // namespace detail

/// Runs `f` in stream order. Where the device's kernels are host code (host and simulated devices), f() is called when
/// its turn comes, which may be after launch() has returned: it is copied, so let it capture by value. On a GPU, f() is
/// called at once, with the stream's device current, to launch the vendor's or Kokkos' kernels on `stream.native()`.
template <class F>
void launch(const Stream& stream, F&& f) {
  const backend::CallScope scope("launch");
  backend::MemorySpace& space = stream.device().space();
  if (space.capabilities().runs_tasks) {
    space.run(Task(std::forward<F>(f)), stream.native());
  } else {
    const detail::CurrentDevice current(space);
    std::forward<F>(f)();
  }
}

}  // namespace ferry::inline v0
