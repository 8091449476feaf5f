#include "backends/sim/sim_single_step.hpp"

#include <ucontext.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace ferry::inline v0::backend::sim {

#if defined(__x86_64__)

namespace {

constexpr greg_t trap_flag = 0x100;
struct sigaction former;

struct Step {
  void (*then)(void*) = nullptr;
  void* subject = nullptr;
};
// An instruction touches few pages.
thread_local std::array<Step, 8> steps;
thread_local std::size_t count = 0;
thread_local volatile bool is_trial = false;

void on_trap(int signal, siginfo_t* info, void* context) {
  greg_t& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
  if (is_trial) {
    is_trial = false;
    flags &= ~trap_flag;
    return;
  }
  if (count > 0) {
    const int kept = errno;
    flags &= ~trap_flag;
    for (std::size_t i = 0; i < count; ++i) steps[i].then(steps[i].subject);
    count = 0;
    errno = kept;
    return;
  }
  if ((former.sa_flags & SA_SIGINFO) != 0 && former.sa_sigaction != nullptr) {
    former.sa_sigaction(signal, info, context);
  } else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) {
    former.sa_handler(signal);
  } else if (former.sa_handler == SIG_DFL) {
    ::sigaction(SIGTRAP, &former, nullptr);
    ::raise(SIGTRAP);
  }
}

bool try_it() noexcept {
  struct sigaction action {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  if (::sigaction(SIGTRAP, &action, &former) != 0) return false;
  is_trial = true;
  // The stack below its pointer may be in use; the trap comes behind the instruction that follows popfq.
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp\n\t"
      "pushfq\n\t"
      "orq $0x100, (%%rsp)\n\t"
      "popfq\n\t"
      "nop\n\t"
      "lea 128(%%rsp), %%rsp\n\t" ::
          : "cc", "memory");
  if (!is_trial) return true;
  is_trial = false;
  ::sigaction(SIGTRAP, &former, nullptr);
  return false;
}

}  // namespace

bool can_single_step() noexcept {
  static const bool can = try_it();
  return can;
}

void after_this_instruction(void* context, void (*then)(void* subject), void* subject) noexcept {
  if (count < steps.size()) steps[count++] = {then, subject};
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= trap_flag;
}

#else

bool can_single_step() noexcept {
  return false;
}
void after_this_instruction(void*, void (*)(void*), void*) noexcept {}

#endif

}  // namespace ferry::inline v0::backend::sim
