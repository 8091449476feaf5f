#include "core/copy/pipeline.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "core/copy/driver_copy.hpp"
#include "core/copy/plan.hpp"
#include "core/copy/tuning.hpp"
#include "core/copy/workers.hpp"
#include "ferry/detail/array_handle.hpp"

namespace ferry::inline v0::copying {

namespace {

using backend::MemorySpace;
using backend::StridedCopy;

/// Strides of a part's elements where they are packed.
Dims packed_strides(const Box& part) {
  Dims strides = part.extents;
  index_t stride = part.itemsize;
  for (std::size_t axis = strides.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= part.extents[axis];
  }
  return strides;
}

/// The copy from or to the packed elements of a part, which lie at `packed`.
StridedCopy unpack(const Box& part, std::byte* base, index_t offset, const Dims& strides, const std::byte* packed) {
  Plan plan{part.extents, strides, packed_strides(part), offset, 0, false};
  simplify(plan);
  return to_copy(std::move(plan), base, packed, part.itemsize);
}
/// The copy to the device's side from elements that lie as the host's side has them, the first at `span`.
StridedCopy spread(const Box& part, std::byte* device, const std::byte* span) {
  Plan plan{part.extents, part.b_strides, part.a_strides, part.b, 0, false};
  simplify(plan);
  return to_copy(std::move(plan), device, span, part.itemsize);
}
StridedCopy pack(const Box& part, std::byte* packed, const std::byte* base, index_t offset, const Dims& strides) {
  Plan plan{part.extents, packed_strides(part), strides, 0, offset, false};
  simplify(plan);
  return to_copy(std::move(plan), packed, base, part.itemsize);
}

/// The device's end: chunks go to or come from their place by the driver where it can do that, else through a piece
/// of device memory and a kernel.
class DeviceEnd {
 public:
  DeviceEnd(const HostDeviceBox& transfer, index_t chunk, const Stream& stream)
      : device_(transfer.device), chunk_(chunk), stream_(stream), space_(stream.device().space()) {}

  void put(const Box& part, const std::byte* packed) {
    const StridedCopy direct = unpack(part, device_, part.b, part.b_strides, packed);
    if (driver_should(direct)) return by_driver(direct, space_, stream_.native());
    space_.copy(stage(), packed, static_cast<std::size_t>(bytes_of(part)), stream_.native());
    space_.copy_strided(unpack(part, device_, part.b, part.b_strides, stage()), stream_.native());
  }
  /// From the host's own, page-locked elements and what lies between them.
  void put_span(const Box& part, const std::byte* first) {
    space_.copy(stage(), first, static_cast<std::size_t>(host_span(part)), stream_.native());
    space_.copy_strided(spread(part, device_, stage()), stream_.native());
  }
  void get(const Box& part, std::byte* packed) {
    const StridedCopy direct = pack(part, packed, device_, part.b, part.b_strides);
    if (driver_should(direct)) return by_driver(direct, space_, stream_.native());
    space_.copy_strided(pack(part, stage(), device_, part.b, part.b_strides), stream_.native());
    space_.copy(packed, stage(), static_cast<std::size_t>(bytes_of(part)), stream_.native());
  }

 private:
  std::byte* stage() {
    if (stage_.memory == nullptr) stage_ = staging_memory(MemoryKind::device, chunk_, stream_);
    return stage_.base;
  }

  std::byte* device_;
  index_t chunk_;
  const Stream& stream_;
  MemorySpace& space_;
  detail::ArrayHandle stage_;
};

/// The chunks of a pipeline, each in one of a few slots, and the pieces of them that threads pack or unpack. A piece
/// takes tens of microseconds, so one mutex for all of it is no hindrance.
class Chunks {
 public:
  struct Piece {
    index_t slot;
    Box chunk, part;
  };

  Chunks(const Cut& cut, index_t slots) : cut_(cut), slots_(static_cast<std::size_t>(slots)) {}

  index_t count() const noexcept { return cut_.count(); }
  index_t slots() const noexcept { return static_cast<index_t>(slots_.size()); }
  index_t slot_of(index_t chunk) const noexcept { return chunk % slots(); }
  Box box(index_t chunk) const { return cut_.part(chunk); }

  /// Its pieces may be taken. In the order of the chunks; the slot's last chunk must be finished.
  void open(index_t chunk) {
    Slot slot{cut_.part(chunk), std::nullopt, 0};
    slot.pieces.emplace(slot.chunk, tuning().piece);
    slot.left = slot.pieces->count();
    {
      const std::lock_guard lock(mutex_);
      slots_[static_cast<std::size_t>(slot_of(chunk))] = std::move(slot);
      open_ = chunk + 1;
    }
    changed_.notify_all();
  }
  bool is_finished(index_t chunk) {
    const std::lock_guard lock(mutex_);
    return left_of(chunk) == 0;
  }
  void wait_finished(index_t chunk) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return left_of(chunk) == 0; });
  }
  /// No more pieces are handed out.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
  }

  /// Does one piece if there is one now; work(const Piece&) must not throw.
  template <class Work>
  bool do_one(const Work& work) {
    std::optional<Piece> piece;
    {
      const std::lock_guard lock(mutex_);
      piece = take();
    }
    return finish(piece, work);
  }
  /// Does pieces until there will be no more.
  template <class Work>
  void do_all(const Work& work) {
    for (;;) {
      std::optional<Piece> piece;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopped_ || current_ >= cut_.count() || current_ < open_; });
        piece = take();
      }
      if (!finish(piece, work)) return;
    }
  }

 private:
  struct Slot {
    Box chunk;
    std::optional<Cut> pieces;
    index_t left = 0;  // pieces not yet done
  };

  index_t left_of(index_t chunk) const {
    // A chunk that is not open yet has all of its pieces before it.
    return chunk < open_ ? slots_[static_cast<std::size_t>(slot_of(chunk))].left : 1;
  }
  std::optional<Piece> take() {
    if (stopped_ || current_ >= open_) return std::nullopt;
    const Slot& slot = slots_[static_cast<std::size_t>(slot_of(current_))];
    Piece piece{slot_of(current_), slot.chunk, slot.pieces->part(next_)};
    if (++next_ == slot.pieces->count()) {
      ++current_;
      next_ = 0;
    }
    return piece;
  }
  template <class Work>
  bool finish(const std::optional<Piece>& piece, const Work& work) {
    if (!piece) return false;
    work(*piece);
    bool last;
    {
      const std::lock_guard lock(mutex_);
      last = --slots_[static_cast<std::size_t>(piece->slot)].left == 0;
    }
    if (last) changed_.notify_all();
    return true;
  }

  const Cut& cut_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  index_t open_ = 0;                // chunks opened
  index_t current_ = 0, next_ = 0;  // the next piece to hand out
  bool stopped_ = false;
};

/// What both directions have: chunks, and page-locked memory for the slots.
struct Pipeline {
  Pipeline(const HostDeviceBox& transfer, const Stream& on)
      : stream(on),
        cut(transfer.box, tuning().chunk),
        chunks(cut, std::min(cut.count(), tuning().slots)),
        slot_bytes(round_up(bytes_of(cut.part(0)))),
        memory(staging_memory(MemoryKind::pinned, slot_bytes * chunks.slots(), on)),
        moved(static_cast<std::size_t>(chunks.slots())),
        device(transfer, slot_bytes, on) {}

  std::byte* slot(index_t number) const { return memory.base + number * slot_bytes; }
  /// Where a piece lies in its slot.
  std::byte* packed(const Chunks::Piece& piece) const {
    return slot(piece.slot) + (piece.part.packed - piece.chunk.packed);
  }
  Event& moved_of(index_t chunk) { return moved[static_cast<std::size_t>(chunks.slot_of(chunk))]; }

  /// `lead` on this thread, `work` on pieces on others meanwhile; what `lead` throws comes out when nothing is left in
  /// flight.
  template <class Lead, class Work>
  void run(const Lead& lead, const Work& work) {
    std::exception_ptr failure;
    Workers::run(
        helpers_for(stream, bytes_of(cut.whole())),
        [&] {
          try {
            lead();
          } catch (...) {
            failure = std::current_exception();
          }
          chunks.stop();
        },
        [&] { chunks.do_all(work); });
    if (failure == nullptr) return;
    try {
      stream.synchronize();
    } catch (...) {  // the first failure says what was wrong
    }
    std::rethrow_exception(failure);
  }

  static index_t round_up(index_t bytes) { return (bytes + 255) / 256 * 256; }

  const Stream& stream;
  Cut cut;
  Chunks chunks;
  index_t slot_bytes;
  detail::ArrayHandle memory;
  std::vector<Event> moved;  // by slot: the last transfer from or to it
  DeviceEnd device;
};

}  // namespace

void upload(const HostDeviceBox& transfer, const Stream& stream) {
  Pipeline line(transfer, stream);
  Chunks& chunks = line.chunks;
  const auto work = [&](const Chunks::Piece& piece) {
    backend::host_copy(pack(piece.part, line.packed(piece), transfer.host, piece.part.a, piece.part.a_strides));
  };
  line.run(
      [&] {
        index_t opened = 0, sent = 0;
        while (sent < chunks.count()) {
          if (sent < opened && chunks.is_finished(sent)) {
            line.device.put(chunks.box(sent), line.slot(chunks.slot_of(sent)));
            line.moved_of(sent) = stream.record();
            ++sent;
          } else if (opened < chunks.count() && opened - sent < chunks.slots() && line.moved_of(opened).ready()) {
            chunks.open(opened++);
          } else if (!chunks.do_one(work)) {
            // All that is open has been taken: wait for those who have it, or, if that is nobody, for a free slot.
            if (sent < opened) {
              chunks.wait_finished(sent);
            } else {
              line.moved_of(opened).wait();
            }
          }
        }
      },
      work);
}

void download(const HostDeviceBox& transfer, const Stream& stream) {
  Pipeline line(transfer, stream);
  Chunks& chunks = line.chunks;
  const auto work = [&](const Chunks::Piece& piece) {
    backend::host_copy(unpack(piece.part, transfer.host, piece.part.a, piece.part.a_strides, line.packed(piece)));
  };
  line.run(
      [&] {
        index_t asked = 0, opened = 0, finished = 0;
        while (finished < chunks.count()) {
          if (finished < opened && chunks.is_finished(finished)) {
            ++finished;
          } else if (asked < chunks.count() && asked - finished < chunks.slots()) {
            line.device.get(chunks.box(asked), line.slot(chunks.slot_of(asked)));
            line.moved_of(asked) = stream.record();
            ++asked;
          } else if (opened < asked && line.moved_of(opened).ready()) {
            chunks.open(opened++);
          } else if (!chunks.do_one(work)) {
            if (opened < asked) {
              line.moved_of(opened).wait();
            } else {
              chunks.wait_finished(finished);
            }
          }
        }
      },
      work);
}

void upload_run(const HostDeviceBox& transfer, const Stream& stream) {
  const Cut cut(transfer.box, tuning().stage);
  DeviceEnd device(transfer, bytes_of(cut.part(0)), stream);
  for (index_t i = 0; i < cut.count(); ++i) {
    const Box part = cut.part(i);
    device.put(part, transfer.host + part.a);
  }
}

index_t host_span(const Box& box) noexcept {
  index_t span = box.itemsize;
  for (std::size_t axis = 0; axis < box.extents.size(); ++axis) span += (box.extents[axis] - 1) * box.a_strides[axis];
  return span;
}

Cut cut_span(const HostDeviceBox& transfer) {
  const index_t span = host_span(transfer.box), bytes = bytes_of(transfer.box);
  // As many elements as fill the stage with their gaps.
  const double share = static_cast<double>(bytes) / static_cast<double>(span);
  return Cut(transfer.box, std::max<index_t>(1, static_cast<index_t>(share * static_cast<double>(tuning().stage))));
}

bool fits_stage(const HostDeviceBox& transfer) {
  return host_span(cut_span(transfer).part(0)) <= 2 * tuning().stage;
}

void upload_span(const HostDeviceBox& transfer, const Stream& stream) {
  const Cut cut = cut_span(transfer);
  DeviceEnd device(transfer, host_span(cut.part(0)), stream);
  for (index_t i = 0; i < cut.count(); ++i) {
    const Box part = cut.part(i);
    device.put_span(part, transfer.host + part.a);
  }
}

void download_run(const HostDeviceBox& transfer, const Stream& stream) {
  const Cut cut(transfer.box, tuning().stage);
  DeviceEnd device(transfer, bytes_of(cut.part(0)), stream);
  for (index_t i = 0; i < cut.count(); ++i) {
    const Box part = cut.part(i);
    device.get(part, transfer.host + part.a);
  }
}

}  // namespace ferry::inline v0::copying
