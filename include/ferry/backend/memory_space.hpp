// The interface of a backend: what one device can do. A new backend is one class that passes the contract suite.
#pragma once

#include <string>
#include <string_view>

#include "ferry/backend/strided.hpp"
#include "ferry/config.hpp"
#include "ferry/task.hpp"

namespace ferry::inline v0 {

/// Who may touch memory, and how it moves.
enum class MemoryKind : unsigned char {
  pageable,  ///< plain host memory; the device cannot reach it
  pinned,    ///< page-locked host memory: transfers from and to it are asynchronous
  mapped,    ///< page-locked host memory that the device addresses too
  managed,   ///< migrates between host and device
  device     ///< device memory; the host must not touch it unless Capabilities::device_is_host says so
};
FERRY_EXPORT std::string_view to_string(MemoryKind kind) noexcept;

/// Bytes of device memory.
struct MemoryInfo {
  std::size_t free = 0;
  std::size_t total = 0;
};

namespace backend {

/// A vendor's stream and event, as the vendor's own handle type sees them. Null is the legacy default stream.
using NativeStream = void*;
using NativeEvent = void*;

/// What differs between devices in ways that the core must know.
struct Capabilities {
  bool asynchronous = false;    ///< work may still be queued when a call returns
  bool device_is_host = false;  ///< device memory is ordinary host memory (the CPU fallback)
  bool runs_tasks = false;      ///< run() executes host code as this device's kernels (CPU and simulated devices)
  bool peer_copies = false;     ///< copy_peer() works between the devices of this backend
  bool pooled = false;          ///< the driver keeps a stream-ordered pool of device memory, so freeing never waits
};

/// How memory is wanted. The first two are for page-locked memory and registration, the third for device memory.
struct MemoryFlags {
  bool portable = false;        ///< page-locked for every device, not just this one
  bool write_combined = false;  ///< fast for the host to write and the device to read, slow for the host to read
  bool direct = false;  ///< an allocation of its own, as MPI and sharing between processes need, not from a pool
  /// Page-locked and managed memory whose bytes host and kernels may exchange while kernels run. Without it AMD's is
  /// coarse-grained: what one side has written, the other sees once it has waited. On fine-grained memory some of AMD's
  /// devices do not carry out floating-point atomics. Memory of other vendors is both at once.
  bool fine_grained = false;
};

/// What a device knows of an address.
struct PointerInfo {
  MemoryKind kind = MemoryKind::pageable;
  int device = -1;                 ///< index among this backend's devices; -1 for memory it does not know
  void* base = nullptr;            ///< start of the allocation or registration; null when unknown
  std::size_t bytes = 0;           ///< its size
  void* device_pointer = nullptr;  ///< what a kernel must use for this address; null if kernels cannot reach it
};

struct StreamFlags {
  bool non_blocking = false;  ///< does not order with the legacy default stream
  int priority = 0;           ///< lower runs first, as CUDA and HIP count; clamped to what the device has
};

/// Elements that a task reads or writes, as the program declares them. Strides in bytes.
struct MemoryUse {
  const std::byte* first = nullptr;  ///< element (0, …, 0)
  index_t itemsize = 1;
  Dims extents;
  Dims strides;
  bool writes = false;
};

/// One device of one backend.
///
/// Addresses given to copies and fills are device addresses for device memory and host addresses for host memory; for
/// mapped memory either. Everything that takes a stream is ordered as CUDA orders it: work on one stream runs in
/// sequence; work on the legacy default stream (null) waits for all earlier work on blocking streams, and they for
/// it; the rest is ordered by events alone. A call may run its work before it returns, or later, but has always
/// finished when the stream is synchronised. All calls may come from any thread, and leave the current device, where
/// the vendor has such a thing, as they found it. Bytes, not elements; zero bytes are legal everywhere and do nothing.
/// Unless said otherwise, failures are DeviceErrors that carry the vendor's code.
class FERRY_EXPORT MemorySpace {
 public:
  MemorySpace() = default;
  MemorySpace(const MemorySpace&) = delete;
  MemorySpace& operator=(const MemorySpace&) = delete;
  virtual ~MemorySpace();

  /// The backend's name, "cuda", and the device's number among its devices.
  virtual std::string_view backend_name() const noexcept = 0;
  virtual int index() const noexcept = 0;
  virtual Capabilities capabilities() const noexcept = 0;
  virtual MemoryInfo memory_info() const = 0;
  /// What the device is, for people: its model and the versions of what drives it.
  virtual std::string description() const { return {}; }

  /// Memory of one kind, aligned to 256 bytes, usable by work queued on `stream` from now on; null for zero bytes.
  /// @throws OutOfMemory; nothing has changed then
  virtual void* allocate(MemoryKind kind, std::size_t bytes, MemoryFlags flags, NativeStream stream) = 0;
  /// Gives memory back once all work queued on `stream` so far is done; returns at once where the device can do that,
  /// and waits where it cannot. Null and zero bytes are nothing to give back.
  /// @throws DeviceError for an address that allocate() did not give out, or one given back before
  virtual void deallocate(MemoryKind kind, void* address, std::size_t bytes, NativeStream stream) = 0;

  /// The name of an allocation, for devices that report on memory.
  virtual void set_label(const void*, std::string_view) noexcept {}

  /// Gives back to the driver what a pool of it keeps unused.
  virtual void trim() {}

  /// Page-locks host memory and maps it for the device. Exact byte ranges: neighbours on one page are independent.
  /// Pageable memory that allocate() gave out is host memory like any other.
  /// @throws DeviceError when a part of it is page-locked already, code 712
  virtual void register_host(void* address, std::size_t bytes, MemoryFlags flags) = 0;
  /// @throws DeviceError when no registration starts at `address`: code 1 inside one, or in memory that was allocated
  /// page-locked; else 713
  virtual void unregister_host(void* address) = 0;
  /// Never fails: memory that nobody told the device of is pageable.
  virtual PointerInfo query(const void* address) const noexcept = 0;

  /// One run of bytes; source and destination do not overlap. With pageable host memory the call returns when that
  /// side is free again (a source may be reused, a destination is filled). A range that is page-locked only in part
  /// counts as pageable.
  virtual void copy(void* to, const void* from, std::size_t bytes, NativeStream stream) = 0;
  /// `rows` runs of `width` bytes, `to_pitch` and `from_pitch` bytes apart; both pitches >= width.
  virtual void copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t rows, NativeStream stream) = 0;
  /// One run of bytes from the device memory of another device of this backend, by the shortest way that the devices
  /// have. Ordered on a stream of this device; the other one's earlier work must be waited for by event. Only where
  /// Capabilities::peer_copies.
  virtual void copy_peer(void* to, MemorySpace& source, const void* from, std::size_t bytes, NativeStream stream);
  /// A hint: moves managed memory to the device, or to the host, ahead of its use.
  virtual void prefetch(void*, std::size_t, bool /*to_device*/, NativeStream) {}
  /// Element by element, both sides being memory that kernels of this device reach.
  virtual void copy_strided(const StridedCopy& copy, NativeStream stream) = 0;
  /// Repeats a pattern; the destination is memory that kernels of this device reach.
  virtual void fill_strided(const StridedFill& fill, NativeStream stream) = 0;
  /// As copy_strided, converting each element by NumPy's astype.
  virtual void convert_strided(const StridedConvert& convert, NativeStream stream) = 0;

  /// Runs host code as a kernel of this device, in stream order. Only where Capabilities::runs_tasks. The task must not
  /// wait for the device; what it captured is destroyed once it has run, and may use the device. What it throws comes
  /// out once, here or in the first call that waits for work behind it: Ferry's errors as they are, all else as a
  /// DeviceError. Later work runs all the same.
  virtual void run(Task task, NativeStream stream) = 0;
  /// As run(), with everything declared that the task touches, for devices that check it.
  virtual void run_declared(Task task, const MemoryUse* uses, std::size_t count, NativeStream stream);

  virtual NativeStream create_stream(StreamFlags flags) = 0;
  /// Work queued on it still completes. Never throws: it is called on ways out.
  virtual void destroy_stream(NativeStream stream) noexcept = 0;
  /// Returns when all work queued on the stream so far is done; throws what that work failed with.
  virtual void synchronize_stream(NativeStream stream) = 0;
  /// Whether synchronize_stream would return at once. Asked again and again, it is true in the end.
  virtual bool is_stream_done(NativeStream stream) = 0;
  /// Whether calls on the stream are at present recorded for later (a graph), not run; nothing can be waited for then.
  virtual bool is_capturing(NativeStream) { return false; }
  /// Makes the device the one that the calling thread's own vendor calls mean, as kernel launches are; hand what it
  /// returns to restore_current.
  virtual int make_current() { return 0; }
  virtual void restore_current(int) noexcept {}
  /// Whether a fault has made the device unusable: every call that needs it throws a fatal DeviceError. Cheap.
  virtual bool is_lost() const noexcept { return false; }
  /// Waits for all streams of the device.
  virtual void synchronize_device() = 0;

  virtual NativeEvent create_event(bool timing) = 0;
  virtual void destroy_event(NativeEvent event) noexcept = 0;
  /// The event happens when the work queued on `stream` so far is done.
  virtual void record(NativeEvent event, NativeStream stream) = 0;
  /// Later work on `stream` waits for the event's last record; one never recorded is no wait. The event may belong to
  /// another device of this backend.
  virtual void wait(NativeStream stream, NativeEvent event) = 0;
  virtual bool is_event_done(NativeEvent event) = 0;
  virtual void synchronize_event(NativeEvent event) = 0;
  /// Milliseconds between two events made with timing, both recorded and done.
  virtual float elapsed_ms(NativeEvent start, NativeEvent stop) = 0;
};

}  // namespace backend
}  // namespace ferry::inline v0
