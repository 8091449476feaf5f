#include "support/toy_executor.hpp"

#include <exception>

namespace ferry::test {

Operation ToyExecutor::enqueue(ToyStream* stream, Task work, Operation also_after) {
  auto operation = std::make_shared<ToyOperation>();
  operation->work = std::move(work);
  const auto wait_for = [&](const Operation& earlier) {
    if (earlier != nullptr && !earlier->done) operation->after.push_back(earlier);
  };
  ToyStream& target = resolve(stream);
  wait_for(target.last);
  wait_for(also_after);
  if (stream == nullptr) {
    for (const ToyStream* other : streams_) {
      if (!other->non_blocking) wait_for(other->last);
    }
    for (const Operation& orphan : orphans_) wait_for(orphan);
    orphans_.clear();  // from now on they are behind this operation
  } else if (!target.non_blocking) {
    wait_for(legacy_.last);
  }
  target.last = operation;
  return operation;
}

void ToyExecutor::run(const Operation& operation) {
  std::exception_ptr first_error;
  // A stack of its own: a long queue must not become a deep recursion.
  std::vector<Operation> stack;
  if (operation != nullptr) stack.push_back(operation);
  while (!stack.empty()) {
    const Operation current = stack.back();
    if (!current->done && !current->after.empty()) {
      const Operation earlier = std::move(current->after.back());
      current->after.pop_back();
      if (!earlier->done) stack.push_back(earlier);
      continue;
    }
    stack.pop_back();
    if (current->done) continue;
    current->done = true;
    try {
      if (current->work) current->work();
    } catch (...) {
      if (first_error == nullptr) first_error = std::current_exception();
    }
    current->work.reset();
  }
  if (first_error != nullptr) std::rethrow_exception(first_error);
}

void ToyExecutor::run_all() {
  std::vector<Operation> ends(std::move(orphans_));
  orphans_.clear();
  for (const ToyStream* stream : streams_) ends.push_back(stream->last);
  ends.push_back(legacy_.last);
  auto all = std::make_shared<ToyOperation>();
  for (Operation& end : ends) {
    if (end != nullptr) all->after.push_back(std::move(end));
  }
  run(all);
}

ToyStream* ToyExecutor::create(bool non_blocking) {
  auto* stream = new ToyStream{{}, non_blocking, 0};
  streams_.insert(stream);
  return stream;
}

void ToyExecutor::destroy(ToyStream* stream) noexcept {
  if (streams_.erase(stream) == 0) return;
  if (stream->last != nullptr && !stream->last->done) orphans_.push_back(std::move(stream->last));
  delete stream;
}

}  // namespace ferry::test
