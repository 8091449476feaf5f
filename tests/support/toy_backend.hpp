// "toy": a device that exists to exercise the asynchronous half of MemorySpace. Its work is queued and runs as late as
// is legal, and its memory lies at addresses that the host cannot touch.
#pragma once

#include <ferry/backend/registry.hpp>

#include <memory>

namespace ferry::test {

/// Two devices of 64 MiB.
std::unique_ptr<ferry::backend::Backend> make_toy_backend();

}  // namespace ferry::test
