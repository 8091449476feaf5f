// The scopes in which host memory is page-locked: pinned(…) and mapped(…).
#include <exception>
#include <utility>

#include "core/memory/allocation.hpp"
#include "core/memory/host_locks.hpp"
#include "ferry/backend/fault.hpp"
#include "ferry/error.hpp"
#include "ferry/scopes.hpp"

namespace ferry::inline v0::detail {

namespace {
HostRange range_of(const ArrayHandle& array) {
  const ByteRange range = array.layout.byte_range();
  return {array.base + range.begin, array.base + range.end};
}
}  // namespace

class HostScope {
 public:
  explicit HostScope(DeviceState& device) : locks_(HostLocks::of(device)), device_(device) {}
  HostScope(const HostScope&) = delete;
  HostScope& operator=(const HostScope&) = delete;
  ~HostScope() {
    try {
      end();
    } catch (const DeviceError& error) {
      if (!device_.space().is_lost() && !backend::fault::means_gone(error)) report_error(error.what());
    } catch (const std::exception& error) {
      report_error(error.what());
    }
  }

  void add(const ArrayHandle& array, backend::MemoryFlags flags) {
    arrays_.push_back(array);
    if (!array.layout.empty()) locks_.lock(range_of(array), flags, claims_);
  }

  ArrayHandle map(const ArrayHandle& array, const Stream& stream) {
    const std::ptrdiff_t shift = array.layout.empty() ? 0 : locks_.device_shift(range_of(array));
    auto memory = std::make_shared<Allocation>(device_, MemoryKind::mapped, array.layout.byte_range(), nullptr);
    memory->set_device_shift(shift);
    views_.push_back(memory);
    std::byte* const base = array.base == nullptr ? nullptr : array.base + shift;
    ArrayHandle view{std::move(memory), base, array.layout, stream, Face::device};
    view.scoped = true;
    return view;
  }

  // Views are closed first, so that nothing can come behind what is waited for.
  void end() {
    std::exception_ptr first;
    const auto attempt = [&](const auto& step) {
      try {
        step();
      } catch (...) {
        if (first == nullptr) first = std::current_exception();
      }
    };
    for (const auto& view : views_) view->close();
    for (const auto& view : views_) attempt([&] { view->wait(); });
    if (!views_.empty()) attempt([&] { locks_.wait(claims_); });
    attempt([&] { locks_.unlock(std::exchange(claims_, {})); });
    views_.clear();
    arrays_.clear();
    if (first != nullptr) std::rethrow_exception(first);
  }

 private:
  HostLocks& locks_;
  DeviceState& device_;
  std::vector<ArrayHandle> arrays_;  // keeps memory that Ferry owns
  HostLocks::Claims claims_;
  std::vector<std::shared_ptr<Allocation>> views_;
};

void EndScope::operator()(HostScope* scope) const noexcept {
  delete scope;
}

ScopeHandle open_scope(const ScopeOptions& options, const ArrayHandle* arrays, std::size_t count, ArrayHandle* views) {
  if (options.stream && options.device.is_set() && !(options.stream.device() == options.device)) {
    throw AccessError("ferry: a scope for " + options.device.name() + " was given a stream of " +
                      options.stream.device().name());
  }
  const Device device = options.stream ? options.stream.device() : resolve(options.device);
  ScopeHandle scope(new HostScope(device.state()));
  for (std::size_t i = 0; i < count; ++i) {
    const ArrayHandle array = with_face(arrays[i], Face::host);
    scope->add(array, {.portable = options.portable});
    if (views != nullptr) views[i] = scope->map(array, options.stream);
  }
  return scope;
}

bool is_pinned(const ArrayHandle& array, const Device& device) {
  return array.layout.empty() || HostLocks::is_locked(resolve(device).state(), range_of(with_face(array, Face::host)));
}

void end_scope(ScopeHandle& scope) {
  if (scope == nullptr) return;
  scope->end();
  scope.reset();
}

}  // namespace ferry::inline v0::detail
