#include "support/toy_backend.hpp"

#include "support/toy_space.hpp"

namespace ferry::test {

namespace {
class ToyBackend final : public backend::Backend {
 public:
  ToyBackend() {
    first_.set_neighbour(second_);
    second_.set_neighbour(first_);
  }
  std::string_view name() const noexcept override { return "toy"; }
  int device_count() const noexcept override { return 2; }
  std::string unavailable_reason() const override { return {}; }
  bool is_accelerator() const noexcept override { return false; }
  backend::MemorySpace& space(int index) override { return index == 0 ? first_ : second_; }

 private:
  ToySpace first_{0}, second_{1};
};
}  // namespace

std::unique_ptr<backend::Backend> make_toy_backend() {
  return std::make_unique<ToyBackend>();
}

ToyCounts toy_counts(const backend::MemorySpace& space) {
  return dynamic_cast<const ToySpace&>(space).counts();
}

std::size_t set_toy_capacity(backend::MemorySpace& space, std::size_t bytes) {
  return dynamic_cast<ToySpace&>(space).set_capacity(bytes);
}

}  // namespace ferry::test
