#include "backends/sim/sim_executor.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "backends/cpu/task_errors.hpp"
#include "ferry/backend/fault.hpp"

namespace ferry::inline v0::backend::sim {

namespace {

constexpr int polls_in_vain = 3;

bool by_number(const OperationPtr& a, const OperationPtr& b) {
  return a->number < b->number;
}

void inherit(Operation& operation, const Operation& earlier) {
  const auto& failure = earlier.failure;
  if (operation.failure == nullptr && failure != nullptr && !failure->reported) operation.failure = failure;
}

bool is_ready(const Operation& operation) {
  return std::all_of(operation.after.begin(), operation.after.end(), [](const auto& earlier) { return earlier->done; });
}

bool owes_failure(const OperationPtr& operation) {
  return operation != nullptr && operation->failure != nullptr && !operation->failure->reported;
}

}  // namespace

std::string describe(const Operation& operation) {
  const std::string device = "sim:" + std::to_string(operation.device);
  return std::string(operation.call) + " on " +
         (operation.stream == 0 ? "the legacy default stream of " + device
                                : "stream " + std::to_string(operation.stream) + " of " + device) +
         " (operation " + std::to_string(operation.number) + ")";
}

void Executor::set_schedule(Schedule schedule) {
  schedule_ = schedule;
  random_.seed(schedule.seed);
}

void Executor::add_device() {
  lost_.push_back(false);
  last_number_.push_back(-1);
  legacy_.push_back(&add_stream(static_cast<int>(legacy_.size()), nullptr, false));
}

Executor::Stream& Executor::add_stream(int device, NativeStream handle, bool non_blocking) {
  auto stream = std::make_unique<Stream>();
  stream->handle = handle;
  stream->device = device;
  stream->number = ++last_number_[static_cast<std::size_t>(device)];
  stream->non_blocking = non_blocking;
  stream->slot = take_slot(stream->epoch);
  streams_.push_back(std::move(stream));
  return *streams_.back();
}

// Clocks would grow with every stream that ever was. A slot may serve again when all that the former stream did lies
// before whatever is queued from now on; its time goes on counting.
std::size_t Executor::take_slot(std::uint64_t& epoch) {
  const auto usable = std::find_if(retired_.begin(), retired_.end(),
                                   [this](const RetiredSlot& slot) { return slot.epoch <= seen_[slot.slot]; });
  if (usable == retired_.end()) return slots_++;
  const RetiredSlot slot = *usable;
  retired_.erase(usable);
  epoch = slot.epoch;
  return slot.slot;
}

NativeStream Executor::create_stream(int device, bool non_blocking) {
  drop_dead_streams();
  auto* const handle = reinterpret_cast<NativeStream>(last_handle_ += 16);
  live_[handle] = &add_stream(device, handle, non_blocking);
  return handle;
}

bool Executor::destroy_stream(int device, NativeStream stream) noexcept {
  if (stream == nullptr || !is_live(device, stream)) return false;
  find(device, stream).destroyed = true;
  live_.erase(stream);
  drop_dead_streams();
  return true;
}

// A dead stream is kept while work of it is queued, while the report of a failure is owed, and while the legacy stream
// would have to wait for it.
void Executor::drop_dead_streams() noexcept {
  std::erase_if(streams_, [this](const std::unique_ptr<Stream>& stream) {
    if (!stream->destroyed || !stream->queue.empty() || owes_failure(stream->last)) return false;
    if (stream->last != nullptr && !stream->non_blocking && !stream->behind_legacy && !is_seen(*stream->last)) {
      return false;
    }
    retired_.push_back({stream->device, stream->slot, stream->epoch});
    return true;
  });
}

bool Executor::is_live(int device, NativeStream stream) const noexcept {
  if (stream == nullptr) return true;
  const auto found = live_.find(stream);
  return found != live_.end() && found->second->device == device;
}

Executor::Stream& Executor::find(int device, NativeStream stream) const {
  return stream == nullptr ? *legacy_[static_cast<std::size_t>(device)] : *live_.at(stream);
}

OperationPtr Executor::enqueue(int device, NativeStream stream, const char* call, Task work,
                               const OperationPtr& also_after) {
  Stream& target = find(device, stream);
  auto operation = std::make_shared<Operation>();
  operation->number = ++issued_;
  operation->device = device;
  operation->stream = target.number;
  operation->call = call;
  operation->slot = target.slot;
  operation->epoch = ++target.epoch;
  operation->work = std::move(work);
  operation->clock = seen_;
  const auto add = [&](const OperationPtr& earlier) {
    if (earlier == nullptr) return;
    operation->clock.join(earlier->clock);
    if (earlier->done) {
      inherit(*operation, *earlier);
    } else {
      operation->after.push_back(earlier);
    }
  };
  add(target.last);
  add(also_after);
  if (stream == nullptr) {
    for (const auto& other : streams_) {
      if (other->device != device || other->non_blocking || other.get() == &target) continue;
      add(other->last);
      other->behind_legacy = other->destroyed;
    }
  } else if (!target.non_blocking) {
    add(legacy_[static_cast<std::size_t>(device)]->last);
  }
  operation->clock.raise(operation->slot, operation->epoch);
  target.last = operation;
  target.queue.push_back(operation);
  ++pending_;
  return operation;
}

std::vector<OperationPtr> Executor::ready() const {
  std::vector<OperationPtr> found;
  for (const auto& stream : streams_) {
    if (!stream->queue.empty() && is_ready(*stream->queue.front())) found.push_back(stream->queue.front());
  }
  return found;
}

void Executor::advance() {
  if (running_ != nullptr || pending_ == 0) return;
  if (schedule_.kind == SchedulerKind::eager) {
    run_pending();
  } else if (schedule_.kind == SchedulerKind::random) {
    while (pending_ > 0 && below(2) == 0) {
      const std::vector<OperationPtr> candidates = ready();
      execute(candidates[below(candidates.size())]);
    }
  }
}

void Executor::run_pending() {
  if (running_ != nullptr) return;
  while (pending_ > 0) {
    const std::vector<OperationPtr> candidates = ready();
    execute(*std::min_element(candidates.begin(), candidates.end(), by_number));
  }
}

// All that is pending before it and itself, found without recursion, since a queue may be long.
std::vector<OperationPtr> Executor::needed_for(const OperationPtr& operation) const {
  std::vector<OperationPtr> found{operation};
  std::unordered_set<const Operation*> known{operation.get()};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const OperationPtr current = found[i];
    for (const OperationPtr& earlier : current->after) {
      if (!earlier->done && known.insert(earlier.get()).second) found.push_back(earlier);
    }
  }
  std::sort(found.begin(), found.end(), by_number);
  return found;
}

void Executor::run(const OperationPtr& operation) {
  if (operation == nullptr || operation->done) return;
  if (running_ != nullptr) {
    fault::raise("sim", "run", fault::not_permitted, "a task waits for the device that runs it");
  }
  const std::vector<OperationPtr> needed = needed_for(operation);
  if (schedule_.kind == SchedulerKind::random) return run_at_random(operation, needed);
  // What a task captured may come back here in its destructor, and run some of these first.
  for (const OperationPtr& current : needed) {
    if (!current->done) execute(current);
  }
}

// Sometimes only what the wait needs, sometimes whatever can run: a device is free to do both.
void Executor::run_at_random(const OperationPtr& operation, const std::vector<OperationPtr>& needed) {
  std::unordered_set<const Operation*> wanted;
  if (below(2) == 0) {
    for (const OperationPtr& one : needed) wanted.insert(one.get());
  }
  while (!operation->done) {
    std::vector<OperationPtr> candidates = ready();
    if (!wanted.empty()) std::erase_if(candidates, [&](const auto& one) { return !wanted.contains(one.get()); });
    execute(candidates[below(candidates.size())]);
  }
}

void Executor::execute(const OperationPtr& operation) {
  const OperationPtr kept = operation;
  Operation& current = *kept;
  for (const OperationPtr& earlier : current.after) inherit(current, *earlier);
  running_ = kept;
  try {
    if (!is_lost(current.device)) {
      observer_.starting(current);
      if (current.work) current.work();
      observer_.finished(current);
    }
  } catch (...) {
    current.failure = std::make_shared<Failure>(Failure{cpu::as_ferry_error("sim", std::current_exception())});
  }
  running_ = nullptr;
  current.finished = std::chrono::steady_clock::now();
  current.done = true;
  --pending_;
  if (current.open_ended) --open_ended_;
  current.after.clear();
  for (const auto& stream : streams_) {
    if (stream->slot != current.slot || stream->queue.empty() || stream->queue.front() != kept) continue;
    stream->queue.pop_front();
    break;
  }
  Task ended = std::move(current.work);  // what it captured goes now, and may call the device
}

void Executor::finish(const OperationPtr& operation) {
  if (operation == nullptr) return;
  const OperationPtr kept = operation;  // the stream it came from may move on while it runs
  run(kept);
  seen_.join(kept->clock);
}

std::vector<OperationPtr> Executor::ends(int device) const {
  std::vector<OperationPtr> all;
  for (const auto& stream : streams_) {
    if (stream->device == device && stream->last != nullptr) all.push_back(stream->last);
  }
  std::sort(all.begin(), all.end(), by_number);
  return all;
}

void Executor::finish_device(int device) {
  for (const OperationPtr& end : ends(device)) finish(end);
  for (const RetiredSlot& slot : retired_) {
    if (slot.device == device) seen_.raise(slot.slot, slot.epoch);
  }
}

bool Executor::poll(const OperationPtr& operation) {
  if (operation == nullptr) return true;
  const OperationPtr kept = operation;
  if (!kept->done) {
    if (running_ != nullptr) return false;
    const bool patient = schedule_.kind == SchedulerKind::random ? below(2) == 0 : true;
    if (patient && ++kept->polls <= polls_in_vain) return false;
    run(kept);
  }
  seen_.join(kept->clock);
  return true;
}

void Executor::report(const OperationPtr& operation) {
  if (operation == nullptr || operation->failure == nullptr) return;
  const std::shared_ptr<Failure> failure = std::move(operation->failure);
  if (!std::exchange(failure->reported, true)) std::rethrow_exception(failure->error);
}

void Executor::report_device(int device) {
  const std::vector<OperationPtr> all = ends(device);
  drop_dead_streams();
  for (const OperationPtr& end : all) report(end);
}

std::size_t Executor::pending(int device) const {
  std::size_t count = 0;
  for (const auto& stream : streams_) count += stream->device == device ? stream->queue.size() : 0;
  return count;
}

}  // namespace ferry::inline v0::backend::sim
