// The GPUs of this machine.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/gpu/gpu_space.hpp"
#include "ferry/backend/registry.hpp"

namespace ferry::inline v0::backend::gpu {

class GpuBackend final : public Backend {
 public:
  GpuBackend();
  std::string_view name() const noexcept override { return gpu::backend_name; }
  int device_count() const noexcept override { return static_cast<int>(spaces_.size()); }
  std::string unavailable_reason() const override { return reason_; }
  bool is_accelerator() const noexcept override { return true; }
  MemorySpace& space(int index) override { return *spaces_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<std::unique_ptr<GpuSpace>> spaces_;
  std::string reason_;
};

}  // namespace ferry::inline v0::backend::gpu
