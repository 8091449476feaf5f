// How the simulator ends a program that is wrong.
#pragma once

#include <string>

namespace ferry::inline v0::backend::sim {

/// Writes the text and the calling thread's stack to stderr, then ends the process. Also from signal handlers.
[[noreturn]] void report_bug(const std::string& text) noexcept;

}  // namespace ferry::inline v0::backend::sim
