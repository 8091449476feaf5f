#include "core/copy/workers.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ferry/copy_threads.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0 {

namespace copying {

namespace {

// One job at a time; who finds the pool taken does its own work alone.
class Pool {
 public:
  explicit Pool(int threads) : threads_(threads) {}

  bool is_of_this_process() const noexcept { return process_ == getpid(); }
  int threads() const noexcept { return threads_.load(std::memory_order_relaxed); }

  void resize(int threads) {
    const std::lock_guard job(job_mutex_);
    stop();
    threads_.store(threads, std::memory_order_relaxed);
  }

  /// Joins the threads; later jobs get none.
  void close() {
    const std::lock_guard job(job_mutex_);
    stop();
    closed_ = true;
  }

  /// Whether `help` now runs on some threads; then wait() must follow.
  bool begin(int helpers, void (*help)(void*), void* state) {
    if (!job_mutex_.try_lock()) return false;
    helpers = std::min(helpers, threads() - 1);
    if (closed_ || helpers < 1 || !start(helpers)) {
      job_mutex_.unlock();
      return false;
    }
    {
      const std::lock_guard lock(mutex_);
      help_ = help;
      state_ = state;
      wanted_ = running_ = std::min(helpers, static_cast<int>(workers_.size()));
      ++job_;
    }
    wake_.notify_all();
    return true;
  }

  void wait() {
    {
      std::unique_lock lock(mutex_);
      running_ -= wanted_;  // who has not woken up yet is too late, and not waited for
      wanted_ = 0;
      done_.wait(lock, [&] { return running_ == 0; });
    }
    job_mutex_.unlock();
  }

 private:
  bool start(int helpers) {
    try {
      while (static_cast<int>(workers_.size()) < helpers) workers_.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      // The system has no more threads: those that there are will do.
    }
    return !workers_.empty();
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    stopping_ = false;
  }

  void work() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stopping_ || (job_ != seen && wanted_ > 0); });
      if (stopping_) return;
      seen = job_;
      --wanted_;
      void (*const help)(void*) = help_;
      void* const state = state_;
      lock.unlock();
      help(state);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  const pid_t process_ = getpid();
  std::mutex job_mutex_;
  std::atomic<int> threads_;
  bool closed_ = false;
  std::vector<std::thread> workers_;

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  void (*help_)(void*) = nullptr;
  void* state_ = nullptr;
  std::uint64_t job_ = 0;
  int wanted_ = 0, running_ = 0;  // helpers still to start, and not yet done
  bool stopping_ = false;
};

int processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::atomic<bool> were_set{false};

int initial_threads() {
  if (const char* const text = std::getenv("FERRY_COPY_THREADS"); text != nullptr) {
    if (const int threads = std::atoi(text); threads >= 1) {
      were_set = true;
      return threads;
    }
  }
  return std::clamp(processors(), 1, 16);
}

// A child process has none of its parent's threads, and a mutex of the pool may have been taken when it was forked, so
// it gets a new pool. Never destroyed: copies may go on while static objects are.
std::atomic<Pool*> current{nullptr};

Pool& pool() {
  Pool* found = current.load(std::memory_order_acquire);
  while (found == nullptr || !found->is_of_this_process()) {
    Pool* const fresh = new Pool(found != nullptr ? found->threads() : initial_threads());
    if (current.compare_exchange_strong(found, fresh)) return *fresh;
    delete fresh;
  }
  return *found;
}

// At the end of the process, or when the library is unloaded, no thread may be left in its code.
struct Closer {
  ~Closer() {
    Pool* const last = current.load();
    if (last != nullptr && last->is_of_this_process()) last->close();
  }
} closer;

}  // namespace

bool copy_threads_were_set() noexcept {
  pool();
  return were_set.load(std::memory_order_relaxed);
}

void Workers::run_erased(int helpers, Call lead, void* lead_state, Call help, void* help_state) {
  Pool* const shared = helpers > 0 ? &pool() : nullptr;
  const bool helped = shared != nullptr && shared->begin(helpers, help, help_state);
  lead(lead_state);
  if (helped) shared->wait();
}

}  // namespace copying

void set_copy_threads(int threads) {
  if (threads < 1) throw IndexError("ferry: set_copy_threads: " + std::to_string(threads) + " is less than 1");
  copying::were_set = true;
  copying::pool().resize(threads);
}

int copy_threads() noexcept {
  return copying::pool().threads();
}

}  // namespace ferry::inline v0
