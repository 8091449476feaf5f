#include "core/memory/observing.hpp"

#include <atomic>

#include "core/memory/allocation.hpp"

namespace ferry::inline v0 {

namespace {
std::atomic<MemoryObserver*> the_observer{nullptr};
}

MemoryObserver::~MemoryObserver() = default;

MemoryObserver* set_memory_observer(MemoryObserver* observer) noexcept {
  return the_observer.exchange(observer, std::memory_order_acq_rel);
}

namespace detail {

MemoryObserver* observer() noexcept {
  return the_observer.load(std::memory_order_acquire);
}

namespace {
ObservedMemory describe(const ArrayHandle& array) noexcept {
  static const Device host("host");
  if (array.memory == nullptr) return {host, MemoryKind::pageable, {}, array.data()};
  return {array.memory->device().handle(), array.memory->kind(), array.memory->label(), array.data()};
}
}  // namespace

ObservedCopy::ObservedCopy(const ArrayHandle& to, const ArrayHandle& from) noexcept : observer_(observer()) {
  if (observer_ == nullptr) return;
  observer_->copy_begins(describe(to), describe(from), static_cast<std::size_t>(to.layout.nbytes()));
}
ObservedCopy::~ObservedCopy() {
  if (observer_ != nullptr) observer_->copy_ends();
}

}  // namespace detail
}  // namespace ferry::inline v0
