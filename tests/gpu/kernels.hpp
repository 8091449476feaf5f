// Raw kernels, as a user's program has them. In a file of their own, so that the tests need no device compiler:
// hipcc 5.2 does not get through GoogleTest's headers as C++20.
#pragma once

#include <cstdint>

#include "gpu/vendor.hpp"

namespace ferry::test {

/// Keeps a stream busy for about so many milliseconds, so that a missing wait shows.
void stall(GPU(Stream_t) stream, int milliseconds = 50);
/// Adds a value to each of n.
void launch_add(GPU(Stream_t) stream, int* values, std::int64_t n, int value);
/// On the legacy stream, adds to `others` how many of n differ from a value: for arrays too large to fetch.
void launch_count_others(const std::uint8_t* values, std::int64_t n, std::uint8_t value, unsigned long long* others);

}  // namespace ferry::test
