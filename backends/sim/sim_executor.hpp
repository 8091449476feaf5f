// Runs queued work in one of the orders that the rules of streams and events allow.
#pragma once

#include <deque>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "backends/sim/sim_operation.hpp"
#include "backends/sim/sim_schedule.hpp"
#include "ferry/backend/memory_space.hpp"

namespace ferry::inline v0::backend::sim {

/// The streams of all simulated devices. It has no threads: work runs inside the calls of the program, when the
/// schedule says so, and never before what it depends on. Not thread-safe: the simulator's lock guards it.
///
/// Beside running work it keeps vector clocks, so that whether two operations are ordered does not depend on when they
/// ran. The host is one participant, whichever of its threads waits: threads order each other by means that are not
/// seen here, and a false alarm is worse than a miss.
///
/// Work that throws does not keep later work from running: memory must be given back all the same.
class Executor {
 public:
  /// Is told when each operation starts, and when it has ended.
  class Observer {
   public:
    virtual void starting(Operation& operation) = 0;
    virtual void finished(Operation& operation) = 0;

   protected:
    ~Observer() = default;
  };

  Executor(Schedule schedule, Observer& observer) : observer_(observer) { set_schedule(schedule); }
  void set_schedule(Schedule schedule);
  Schedule schedule() const noexcept { return schedule_; }

  /// Makes the device's legacy default stream.
  void add_device();

  /// Appends to a stream; null is the device's legacy default stream, which waits for all its blocking streams, and
  /// they for it. Runs nothing.
  OperationPtr enqueue(int device, NativeStream stream, const char* call, Task work,
                       const OperationPtr& also_after = {});
  /// Gives the scheduler its turn, at the end of each call that queued something.
  void advance();
  /// Runs all that is queued, which a device may do at any time; the host does not know.
  void run_pending();
  /// Runs the operation and all it depends on; from then on the host knows that they are done.
  void finish(const OperationPtr& operation);
  void finish_device(int device);
  /// Whether it is done, in which case the host knows from then on. Asking is no waiting, but who asks again and again
  /// gets an answer in the end.
  bool poll(const OperationPtr& operation);
  /// Throws what the operation failed with, unless that has been thrown before.
  static void report(const OperationPtr& operation);
  void report_device(int device);

  /// Work of a lost device is dropped, not run.
  void lose(int device) { lost_[static_cast<std::size_t>(device)] = true; }
  bool is_lost(int device) const { return lost_[static_cast<std::size_t>(device)]; }
  void restore(int device) { lost_[static_cast<std::size_t>(device)] = false; }

  /// Handles are never given out twice, so a dead one is always told from a live one.
  NativeStream create_stream(int device, bool non_blocking);
  /// False when there is no such stream. Its work stays queued.
  bool destroy_stream(int device, NativeStream stream) noexcept;
  bool is_live(int device, NativeStream stream) const noexcept;
  OperationPtr last(int device, NativeStream stream) const { return find(device, stream).last; }

  /// What the host has waited for.
  const Clock& seen() const noexcept { return seen_; }
  bool is_seen(const Operation& operation) const noexcept { return operation.epoch <= seen_[operation.slot]; }
  /// The operation that is running now; null between operations.
  const OperationPtr& running() const noexcept { return running_; }
  std::size_t pending(int device) const;
  /// Whether host code whose accesses nobody declared is queued, on any device.
  bool has_open_ended() const noexcept { return open_ended_ > 0; }
  void mark_open_ended(Operation& operation) {
    operation.open_ended = true;
    last_open_ended_ = operation.number;
    ++open_ended_;
  }
  /// The number of the last such operation; 0 when there was none.
  std::uint64_t last_open_ended() const noexcept { return last_open_ended_; }

 private:
  struct Stream {
    NativeStream handle = nullptr;
    int device = 0;
    int number = 0;
    std::size_t slot = 0;
    std::uint64_t epoch = 0;
    bool non_blocking = false;
    bool destroyed = false;
    bool behind_legacy = false;  // of a destroyed stream: a later operation of the legacy stream waits for all of it
    OperationPtr last;
    std::deque<OperationPtr> queue;  // what has not run
  };
  /// The slot of a stream that is gone, for another one once the host has seen the end of its work.
  struct RetiredSlot {
    int device;
    std::size_t slot;
    std::uint64_t epoch;
  };

  Stream& find(int device, NativeStream stream) const;
  Stream& add_stream(int device, NativeStream handle, bool non_blocking);
  std::size_t take_slot(std::uint64_t& epoch);
  std::vector<OperationPtr> ends(int device) const;
  void drop_dead_streams() noexcept;
  void run(const OperationPtr& operation);
  void run_at_random(const OperationPtr& operation, const std::vector<OperationPtr>& needed);
  std::vector<OperationPtr> needed_for(const OperationPtr& operation) const;
  std::vector<OperationPtr> ready() const;
  void execute(const OperationPtr& operation);
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  Observer& observer_;
  Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<Stream*> legacy_;  // of each device
  std::vector<std::unique_ptr<Stream>>
      streams_;  // in the order of their making, dead ones while they are owed something
  std::unordered_map<NativeStream, Stream*> live_;
  std::vector<RetiredSlot> retired_;
  std::vector<int> last_number_;  // of each device's streams
  std::vector<bool> lost_;
  std::size_t slots_ = 0;
  Clock seen_;
  OperationPtr running_;
  std::uint64_t issued_ = 0;
  std::uintptr_t last_handle_ = 0x10000;
  std::size_t pending_ = 0;
  std::size_t open_ended_ = 0;
  std::uint64_t last_open_ended_ = 0;
};

}  // namespace ferry::inline v0::backend::sim
