// Lets one instruction through.
#pragma once

namespace ferry::inline v0::backend::sim {

/// Whether this machine stops a thread after one instruction when asked to. Found out by trying, once.
bool can_single_step() noexcept;

/// In a handler of a fault: the instruction that faulted is run again when the handler returns, and then, before the
/// next one, `then(subject)` is called on this thread. Only where can_single_step(). `subject` may be given again, by
/// an instruction that faults twice.
void after_this_instruction(void* context, void (*then)(void* subject), void* subject) noexcept;

}  // namespace ferry::inline v0::backend::sim
