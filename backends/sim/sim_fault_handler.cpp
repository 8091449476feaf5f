#include "backends/sim/sim_fault_handler.hpp"

#include <ucontext.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "backends/sim/sim_simulator.hpp"

namespace ferry::inline v0::backend::sim {

namespace {

// A process has one of them, or a few in tests of Ferry itself.
std::array<std::atomic<Simulator*>, 4> simulators{};
struct sigaction former;

bool is_write([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
  // The cause of the fault is in a record among those that the kernel adds: its bit 6 says write.
  const auto* at = static_cast<const ucontext_t*>(context)->uc_mcontext.__reserved;
  for (const auto* record = reinterpret_cast<const _aarch64_ctx*>(at); record->magic != 0;
       record = reinterpret_cast<const _aarch64_ctx*>(at += record->size)) {
    if (record->magic == ESR_MAGIC) return (reinterpret_cast<const esr_context*>(record)->esr & 64) != 0;
  }
  return false;
#else
  return true;
#endif
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int kept = errno;
  for (const auto& entry : simulators) {
    Simulator* const simulator = entry;
    if (simulator != nullptr && simulator->handle_fault(info->si_addr, is_write(context), context)) {
      errno = kept;
      return;
    }
  }
  if ((former.sa_flags & SA_SIGINFO) != 0 && former.sa_sigaction != nullptr) {
    former.sa_sigaction(signal, info, context);
  } else {
    ::sigaction(signal, &former, nullptr);  // the access happens again on return, and is theirs
  }
}

}  // namespace

void install_fault_handler(Simulator& simulator) {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigemptyset(&action.sa_mask);
    return ::sigaction(SIGSEGV, &action, &former) == 0;
  }();
  static_cast<void>(installed);
  for (auto& entry : simulators) {
    Simulator* free = nullptr;
    if (entry.compare_exchange_strong(free, &simulator)) return;
  }
}

void remove_fault_handler(Simulator& simulator) noexcept {
  for (auto& entry : simulators) {
    Simulator* own = &simulator;
    entry.compare_exchange_strong(own, nullptr);
  }
}

}  // namespace ferry::inline v0::backend::sim
