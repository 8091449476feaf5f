#include "support/toy_executor.hpp"

#include <algorithm>
#include <ferry/error.hpp>
#include <set>
#include <utility>

namespace ferry::test {

namespace {

constexpr int polls_in_vain = 3;

/// As the interface promises: Ferry's errors as they are, all others as the driver's report of a failed kernel.
std::exception_ptr typed(std::exception_ptr error) {
  std::string what = "a task threw what is no std::exception";
  try {
    std::rethrow_exception(error);
  } catch (const Error&) {
    return error;
  } catch (const std::exception& other) {
    what = other.what();
  } catch (...) {
  }
  return std::make_exception_ptr(DeviceError("toy: run (" + what + ")", 719, "LaunchFailure"));
}

void inherit(ToyOperation& operation, const ToyOperation& earlier) {
  const auto& failure = earlier.failure;
  if (operation.failure == nullptr && failure != nullptr && !failure->reported) operation.failure = failure;
}

void report(const Operation& operation) {
  if (operation == nullptr || operation->failure == nullptr) return;
  const std::shared_ptr<ToyFailure> failure = std::move(operation->failure);
  if (!std::exchange(failure->reported, true)) std::rethrow_exception(failure->error);
}

}  // namespace

Operation ToyExecutor::enqueue(void* stream, Task work, const Operation& also_after) {
  auto operation = std::make_shared<ToyOperation>();
  operation->number = ++issued_;
  operation->work = std::move(work);
  const auto add = [&](const Operation& earlier) {
    if (earlier == nullptr) return;
    if (earlier->done) {
      inherit(*operation, *earlier);
    } else {
      operation->after.push_back(earlier);
    }
  };
  ToyStream& target = stream == nullptr ? legacy_ : streams_.at(stream);
  add(target.last);
  add(also_after);
  if (stream == nullptr) {
    for (const auto& [handle, other] : streams_) {
      if (!other.non_blocking) add(other.last);
    }
    for (const ToyStream& orphan : orphans_) {
      if (!orphan.non_blocking) add(orphan.last);
    }
    std::erase_if(orphans_, [](const ToyStream& orphan) { return !orphan.non_blocking; });  // behind this one now
  } else if (!target.non_blocking) {
    add(legacy_.last);
  }
  target.last = operation;
  ++pending_;
  return operation;
}

void ToyExecutor::run(const Operation& operation) {
  if (operation == nullptr || operation->done) return;
  if (running_) {
    throw DeviceError("toy: run (a task waits for the device that runs it)", 800, "NotPermitted");
  }
  // All that is pending before it, found without recursion, since a queue may be long. Operations stay linked until
  // they have run: the destructor of what a task captured may come back here in between.
  std::vector<Operation> found{operation};
  std::set<const ToyOperation*> seen{operation.get()};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Operation current = found[i];
    for (const Operation& earlier : current->after) {
      if (!earlier->done && seen.insert(earlier.get()).second) found.push_back(earlier);
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  for (const Operation& current : found) {
    if (!current->done) execute(*current);
  }
}

void ToyExecutor::execute(ToyOperation& operation) {
  for (const Operation& earlier : operation.after) inherit(operation, *earlier);
  running_ = true;
  try {
    if (operation.work) operation.work();
  } catch (...) {
    operation.failure = std::make_shared<ToyFailure>(ToyFailure{typed(std::current_exception())});
  }
  running_ = false;
  operation.finished = std::chrono::steady_clock::now();
  operation.done = true;
  --pending_;
  operation.after.clear();
  Task ended = std::move(operation.work);  // what it captured goes now, and may call the device
}

void ToyExecutor::wait_for(const Operation& operation) {
  const Operation kept = operation;  // the stream it came from may move on while it runs
  run(kept);
  report(kept);
}

std::vector<Operation> ToyExecutor::ends() const {
  std::vector<Operation> all{legacy_.last};
  for (const auto& [handle, stream] : streams_) all.push_back(stream.last);
  for (const ToyStream& orphan : orphans_) all.push_back(orphan.last);
  std::erase(all, nullptr);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  return all;
}

void ToyExecutor::run_all() {
  for (const Operation& end : ends()) run(end);
}

void ToyExecutor::wait_for_all() {
  const std::vector<Operation> all = ends();
  for (const Operation& end : all) run(end);
  orphans_.clear();
  for (const Operation& end : all) report(end);
}

bool ToyExecutor::poll(const Operation& operation) {
  if (operation == nullptr || operation->done) return true;
  if (++operation->polls <= polls_in_vain) return false;
  run(Operation(operation));
  return true;
}

void* ToyExecutor::create_stream(bool non_blocking) {
  void* const handle = reinterpret_cast<void*>(last_handle_ += 16);
  streams_[handle].non_blocking = non_blocking;
  return handle;
}

bool ToyExecutor::destroy_stream(void* stream) noexcept {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return false;
  const auto owed = [](const ToyStream& s) {
    return s.last != nullptr && (!s.last->done || s.last->failure != nullptr);
  };
  std::erase_if(orphans_, [&](const ToyStream& orphan) { return !owed(orphan); });
  if (owed(found->second)) orphans_.push_back(std::move(found->second));
  streams_.erase(found);
  return true;
}

}  // namespace ferry::test
