// The persistent threads that large copies on the host share.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

#include "ferry/config.hpp"

namespace ferry::inline v0::copying {

/// Runs `help` on up to `helpers` threads of the pool, fewer when it has no more or none at all when another copy has
/// them, and `lead` on the calling thread; returns when all are done. `lead` must come to its end without any helper,
/// and `help` once `lead` has; neither may throw or call this again.
class Workers {
 public:
  template <class Lead, class Help>
  static void run(int helpers, Lead&& lead, Help&& help) {
    run_erased(
        helpers, [](void* f) { (*static_cast<Lead*>(f))(); }, &lead, [](void* f) { (*static_cast<Help*>(f))(); },
        &help);
  }

 private:
  using Call = void (*)(void*);
  static void run_erased(int helpers, Call lead, void* lead_state, Call help, void* help_state);
};

/// Whether somebody said how many threads copies may use, rather than the number of processors.
bool copy_threads_were_set() noexcept;

/// body(0) … body(count - 1), shared out one by one. body must not throw.
template <class Body>
void for_each_piece(int helpers, index_t count, const Body& body) {
  std::atomic<index_t> next{0};
  auto work = [&] {
    for (index_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
  };
  auto same = work;
  Workers::run(count < helpers + 1 ? static_cast<int>(count) - 1 : helpers, std::move(work), std::move(same));
}

}  // namespace ferry::inline v0::copying
