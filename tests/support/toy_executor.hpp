// Runs queued work as late as the rules of streams and events allow.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <ferry/task.hpp>
#include <map>
#include <memory>
#include <vector>

namespace ferry::test {

/// What a piece of work threw. Whoever first waits for work behind it gets it, and nobody after.
struct ToyFailure {
  std::exception_ptr error;
  bool reported = false;
};

/// A piece of work and what must be done before it.
struct ToyOperation {
  std::uint64_t number = 0;  // in the order of issue; whatever an operation waits for has a smaller one
  Task work;                 // may be empty: a mere point in a stream
  std::vector<std::shared_ptr<ToyOperation>> after;
  std::shared_ptr<ToyFailure> failure;  // its own, or one inherited from what it waited for
  std::chrono::steady_clock::time_point finished{};
  bool done = false;
  int polls = 0;
};
using Operation = std::shared_ptr<ToyOperation>;

struct ToyStream {
  Operation last;
  bool non_blocking = false;
};

/// The streams of one device. Nothing runs before somebody waits for it, and then only what that wait depends on, in
/// the order of issue. Not thread-safe: the space's lock guards it.
///
/// Work that throws does not keep later work from running: memory must be given back all the same.
class ToyExecutor {
 public:
  /// Appends to a stream; null is the legacy default stream, which waits for all blocking streams, and they for it.
  Operation enqueue(void* stream, Task work, const Operation& also_after = {});
  /// Runs the operation and all it depends on, then throws what they failed with.
  void wait_for(const Operation& operation);
  void wait_for_all();
  /// Runs everything, and leaves the failures to those who wait.
  void run_all();
  /// Whether it is done. Asking is no waiting, but somebody who asks again and again gets an answer in the end: the
  /// fourth time the work runs.
  bool poll(const Operation& operation);
  std::size_t pending() const noexcept { return pending_; }

  /// Handles are never given out twice, so a dead one is always told from a live one.
  void* create_stream(bool non_blocking);
  /// False when there is no such stream. Its work stays queued.
  bool destroy_stream(void* stream) noexcept;
  bool is_live(void* stream) const noexcept { return stream == nullptr || streams_.count(stream) != 0; }
  const Operation& last(void* stream) const { return stream == nullptr ? legacy_.last : streams_.at(stream).last; }

 private:
  void run(const Operation& operation);
  std::vector<Operation> ends() const;
  void execute(ToyOperation& operation);

  ToyStream legacy_;
  std::map<void*, ToyStream> streams_;
  std::vector<ToyStream> orphans_;  // destroyed streams that are owed something: work, or the report of a failure
  std::uint64_t issued_ = 0;
  std::uintptr_t last_handle_ = 0x10000;
  std::size_t pending_ = 0;
  bool running_ = false;
};

}  // namespace ferry::test
