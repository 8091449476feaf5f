// Whether Kokkos runs, and what has to be let go before it ends.
#pragma once

#include <Kokkos_Core.hpp>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ferry/config.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::kokkos::impl {

/// What the glue holds of Kokkos. Leaked on purpose: arrays of static lifetime may ask for it late.
struct Session {
  std::mutex mutex;
  std::vector<std::function<void()>> on_finalize;  ///< since the last Kokkos::initialize; run last first

  static Session& get() {
    static Session& session = *new Session;
    return session;
  }

  void finalize() noexcept {
    std::vector<std::function<void()>> todo;
    {
      const std::lock_guard lock(mutex);
      todo.swap(on_finalize);
    }
    for (; !todo.empty(); todo.pop_back()) {
      try {
        todo.back()();
      } catch (const std::exception& error) {  // Kokkos ends the process when a hook throws
        report_error(error.what());
      }
    }
  }
};

/// Has `f` called by Kokkos::finalize, while Kokkos still works.
inline void at_finalize(std::function<void()> f) {
  Session& session = Session::get();
  const std::lock_guard lock(session.mutex);
  if (session.on_finalize.empty()) Kokkos::push_finalize_hook([] { Session::get().finalize(); });
  session.on_finalize.push_back(std::move(f));
}

/// @throws LifetimeError outside Kokkos::initialize .. Kokkos::finalize, where Kokkos itself would abort
inline void require_running(const char* call) {
  if (Kokkos::is_initialized()) return;
  throw LifetimeError("ferry: " + std::string(call) +
                      ": Kokkos is not running; call it between Kokkos::initialize and Kokkos::finalize, which Ferry "
                      "leaves to the program");
}

}  // namespace ferry::inline v0::kokkos::impl
