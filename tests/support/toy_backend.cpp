#include "support/toy_backend.hpp"

#include "backends/sim/sim_backend.hpp"

namespace ferry::test {

std::unique_ptr<backend::Backend> make_toy_backend() {
  return std::make_unique<backend::sim::SimBackend>(
      "toy", backend::sim::Settings{.devices = 2, .memory = std::size_t{64} << 20});
}

}  // namespace ferry::test
