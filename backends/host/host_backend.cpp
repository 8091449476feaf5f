#include "backends/host/host_space.hpp"
#include "ferry/backend/registry.hpp"

namespace ferry::inline v0::backend {

namespace {
class HostBackend final : public Backend {
 public:
  std::string_view name() const noexcept override { return "host"; }
  int device_count() const noexcept override { return 1; }
  std::string unavailable_reason() const override { return {}; }
  bool is_accelerator() const noexcept override { return false; }
  MemorySpace& space(int) override { return space_; }

 private:
  HostSpace space_;
};
}  // namespace

Backend* make_host_backend() {
  return new HostBackend;
}

}  // namespace ferry::inline v0::backend
