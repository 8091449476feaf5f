// Sizes that backends running on the CPU ask the machine and the environment for.
#pragma once

#include <cstddef>

namespace ferry::inline v0::backend::cpu {

/// Bytes of memory that the machine has.
std::size_t machine_memory();

/// What an environment variable says: bytes, or a number with K, M or G; `fallback` when it is unset or empty.
/// @throws Error naming the variable and what was found in it
std::size_t bytes_from_environment(const char* variable, std::size_t fallback);

}  // namespace ferry::inline v0::backend::cpu
