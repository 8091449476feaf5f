// execution_space: a Ferry stream as a Kokkos execution space instance; launch: Kokkos kernels in stream order.
#pragma once

#include <Kokkos_Core.hpp>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ferry/backend/call_scope.hpp"
#include "ferry/config.hpp"
#include "ferry/error.hpp"
#include "ferry/kokkos/session.hpp"
#include "ferry/kokkos/space.hpp"
#include "ferry/kokkos/task_devices.hpp"
#include "ferry/kokkos/tools.hpp"
#include "ferry/stream.hpp"
#include "ferry/uses.hpp"

namespace ferry::inline v0::kokkos {

namespace impl {

template <class Exec>
inline constexpr bool is_gpu = std::is_same_v<Exec, Gpu>;

/// Makes a device current while Kokkos creates or destroys an instance, which changes it.
using ferry::detail::CurrentDevice;

/// The instances of a GPU's execution space over Ferry's streams. Creating one allocates device memory, so there is one
/// for each native stream; it keeps the stream, because Kokkos waits for it when the instance goes.
template <class Exec>
class Instances {
 public:
  static Instances& get() {
    static Instances& instances = *new Instances;
    return instances;
  }
  Exec on(const Stream& stream) {
    const std::lock_guard lock(mutex_);
    const Key key(stream.device().index(), stream.native());
    if (const auto found = made_.find(key); found != made_.end()) return found->second.second;
    if (made_.empty()) at_finalize([] { get().clear(); });
    const CurrentDevice current(stream.device().space());
    return made_.emplace(key, std::pair(stream, Exec(static_cast<Native>(stream.native())))).first->second.second;
  }
  /// The stream that an instance was made over; unset for the program's own instances.
  Stream find(const Exec& exec) {
    const std::lock_guard lock(mutex_);
    // Both, because the default streams of all devices are null.
    const auto found = made_.find(Key(device_number(exec), native_stream(exec)));
    return found == made_.end() ? Stream{} : found->second.first;
  }
  void release(const Stream& stream) {
    const std::lock_guard lock(mutex_);
    const CurrentDevice current(stream.device().space());
    made_.erase(Key(stream.device().index(), stream.native()));
  }

 private:
  using Key = std::pair<int, backend::NativeStream>;
  using Native = decltype(native_stream(std::declval<const Exec&>()));

  void clear() {
    const std::lock_guard lock(mutex_);
    while (!made_.empty()) {
      const Stream stream = made_.begin()->second.first;
      const CurrentDevice current(stream.device().space());
      made_.erase(made_.begin());
    }
  }

  std::mutex mutex_;
  std::map<Key, std::pair<Stream, Exec>> made_;
};

template <class Exec>
void require_stream(const char* call, const Stream& stream) {
  if (!stream) {
    throw LifetimeError("ferry: " + std::string(call) +
                        ": no stream; make one with Stream(device), or take device.default_stream()");
  }
  const Device device = stream.device();
  const bool fits =
      is_gpu<Exec> ? device.space().backend_name() == gpu_backend : device.space().capabilities().runs_tasks;
  if (fits) return;
  throw AccessError("ferry: " + std::string(call) + ": Kokkos' " + Exec::name() +
                    " does not run on the stream's device, " + device.name() +
                    "; name the execution space that does, or take a stream of another device");
}

/// What runs as host code must be complete when it returns.
template <class Exec, class F>
auto kernel_for(const Stream& stream, Exec exec, F&& f) {
  if constexpr (is_gpu<Exec>) {
    return [exec, f = std::forward<F>(f)] { f(exec); };
  } else {
    TaskDevices::note(stream.device());
    return [exec, f = std::forward<F>(f)] {
      f(exec);
      exec.fence();
    };
  }
}

}  // namespace impl

/// The instance of a Kokkos execution space that works in the order of a stream. For a GPU it is made once for each
/// native stream, kept until Kokkos::finalize or release_execution_space, and copies of it are cheap; the current
/// device is left as it was. For a host's execution space it is the default instance, which knows no streams: use
/// launch().
/// @throws LifetimeError while Kokkos does not run, or for an unset stream; AccessError when `Exec` does not run on the
/// stream's device
template <class Exec = Kokkos::DefaultExecutionSpace>
Exec execution_space(const Stream& stream) {
  impl::require_running("execution_space");
  impl::report_to_tools();
  impl::require_stream<Exec>("execution_space", stream);
  if constexpr (impl::is_gpu<Exec>) {
    return impl::Instances<Exec>::get().on(stream);
  } else {
    return Exec();
  }
}

/// Lets go of the instance over a stream, which waits for the work on it. Streams that were only wrapped need it before
/// they are destroyed.
template <class Exec = Kokkos::DefaultExecutionSpace>
void release_execution_space(const Stream& stream) {
  impl::require_running("release_execution_space");
  if constexpr (impl::is_gpu<Exec>) impl::Instances<Exec>::get().release(stream);
}

/// Calls f(instance) to start Kokkos kernels in the order of the stream: f(instance) makes policies over the instance
/// it is given. On a GPU it is called at once, and its kernels are queued. On the host and on simulated devices, where
/// kernels are host code, it is called when its turn comes, which may be after launch() has returned, and fenced: let
/// it capture by value. Ferry waits for it before Kokkos::finalize.
/// @throws as execution_space
template <class Exec = Kokkos::DefaultExecutionSpace, class F>
void launch(const Stream& stream, F&& f) {
  const Exec exec = execution_space<Exec>(stream);
  ferry::launch(stream, impl::kernel_for(stream, exec, std::forward<F>(f)));
}
/// The same with all arrays declared that f reads and writes: they are not freed before it is done, and a simulated
/// device checks it against all other work.
template <class Exec = Kokkos::DefaultExecutionSpace, std::size_t R, std::size_t W, class F>
void launch(const Stream& stream, const Reads<R>& read, const Writes<W>& written, F&& f) {
  const Exec exec = execution_space<Exec>(stream);
  ferry::launch(stream, read, written, impl::kernel_for(stream, exec, std::forward<F>(f)));
}

}  // namespace ferry::inline v0::kokkos
