// "toy": a backend that this program adds at run time, which shows that none needs an edit of the core.
#pragma once

#include <ferry/backend/registry.hpp>
#include <memory>

namespace ferry::test {

/// Two simulated devices under another name.
std::unique_ptr<ferry::backend::Backend> make_toy_backend();

}  // namespace ferry::test
