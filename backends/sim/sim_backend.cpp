#include "backends/sim/sim_backend.hpp"

namespace ferry::inline v0::backend {

namespace sim {
SimBackend::SimBackend(const char* name, const Settings& settings) : name_(name), simulator_(settings) {
  for (int index = 0; index < settings.devices; ++index) {
    spaces_.push_back(std::make_unique<SimSpace>(simulator_, name, index, settings));
  }
}
}  // namespace sim

Backend* make_sim_backend() {
  return new sim::SimBackend("sim", sim::Settings::from_environment());
}

}  // namespace ferry::inline v0::backend
