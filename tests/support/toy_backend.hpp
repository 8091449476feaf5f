// "toy": a device that exists to exercise the asynchronous half of MemorySpace. Its work is queued and runs as late as
// is legal, and its memory lies at addresses that the host cannot touch.
#pragma once

#include <cstddef>
#include <ferry/backend/registry.hpp>
#include <memory>

namespace ferry::test {

/// Two devices of 64 MiB each, or of what the environment variable FERRY_TOY_MEMORY says (bytes, or with K, M or G).
std::unique_ptr<ferry::backend::Backend> make_toy_backend();

/// What a toy device was asked to do since the program began.
struct ToyCounts {
  std::size_t copies = 0, fills = 0, conversions = 0, kernels = 0;
  std::size_t allocations = 0, deallocations = 0;
  std::size_t pending = 0;  ///< operations queued and not run: also events, waits and deallocations
};

/// @throws std::bad_cast for a space that is no toy
ToyCounts toy_counts(const ferry::backend::MemorySpace& space);

/// Changes a toy device's memory, at most to 8 GiB; what is allocated stays. Returns the former capacity.
std::size_t set_toy_capacity(ferry::backend::MemorySpace& space, std::size_t bytes);

}  // namespace ferry::test
