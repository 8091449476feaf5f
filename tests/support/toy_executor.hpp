// Runs queued work as late as the rules of streams and events allow.
#pragma once

#include <ferry/task.hpp>

#include <memory>
#include <set>
#include <vector>

namespace ferry::test {

/// A piece of work and what must be done before it.
struct ToyOperation {
  Task work;  // may be empty: a mere point in a stream
  std::vector<std::shared_ptr<ToyOperation>> after;
  bool done = false;
};
using Operation = std::shared_ptr<ToyOperation>;

struct ToyStream {
  Operation last;
  bool non_blocking = false;
  int polls = 0;
};

/// The streams of one device. Nothing runs before somebody waits for it, and then only what that wait depends on. Not
/// thread-safe: the space's lock guards it.
class ToyExecutor {
 public:
  /// Appends to a stream; null is the legacy default stream, which waits for all blocking streams, and they for it.
  Operation enqueue(ToyStream* stream, Task work, Operation also_after = {});
  /// Runs the operation and all it depends on. Rethrows what any of them threw, once all are done.
  void run(const Operation& operation);
  void run_all();

  ToyStream* create(bool non_blocking);
  void destroy(ToyStream* stream) noexcept;
  ToyStream& resolve(ToyStream* stream) noexcept { return stream != nullptr ? *stream : legacy_; }
  bool is_live(ToyStream* stream) const noexcept { return stream == nullptr || streams_.count(stream) != 0; }

 private:
  ToyStream legacy_;
  std::set<ToyStream*> streams_;
  std::vector<Operation> orphans_;  // last operations of destroyed streams
};

}  // namespace ferry::test
