// The simulated devices of this process.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backends/sim/sim_space.hpp"
#include "ferry/backend/registry.hpp"

namespace ferry::inline v0::backend::sim {

class SimBackend final : public Backend {
 public:
  /// `name` lives for ever: a literal.
  SimBackend(const char* name, const Settings& settings);
  std::string_view name() const noexcept override { return name_; }
  int device_count() const noexcept override { return static_cast<int>(spaces_.size()); }
  std::string unavailable_reason() const override { return {}; }
  bool is_accelerator() const noexcept override { return false; }
  MemorySpace& space(int index) override { return *spaces_[static_cast<std::size_t>(index)]; }

 private:
  const char* name_;
  Simulator simulator_;
  std::vector<std::unique_ptr<SimSpace>> spaces_;
};

}  // namespace ferry::inline v0::backend::sim
