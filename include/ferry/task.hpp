// A move-only piece of work that a stream may run later.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "ferry/config.hpp"

namespace ferry::inline v0 {

/// Owns a callable without arguments, run at most once. Used instead of std::function because the callable need not
/// be copyable, and because the header is cheap.
class Task {
 public:
  Task() noexcept = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Task>) explicit Task(F&& f) {
    using Callable = std::decay_t<F>;
    state_ = new Callable(std::forward<F>(f));
    call_ = [](void* state) { (*static_cast<Callable*>(state))(); };
    drop_ = [](void* state) noexcept { delete static_cast<Callable*>(state); };
  }
  Task(Task&& other) noexcept : state_(std::exchange(other.state_, nullptr)), call_(other.call_), drop_(other.drop_) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      state_ = std::exchange(other.state_, nullptr);
      call_ = other.call_;
      drop_ = other.drop_;
    }
    return *this;
  }
  ~Task() { reset(); }

  explicit operator bool() const noexcept { return state_ != nullptr; }
  void operator()() { call_(state_); }
  /// Destroys the callable and what it captured.
  void reset() noexcept {
    if (state_ != nullptr) drop_(std::exchange(state_, nullptr));
  }

 private:
  void* state_ = nullptr;
  void (*call_)(void*) = nullptr;
  void (*drop_)(void*) noexcept = nullptr;
};

}  // namespace ferry::inline v0
