#include "ferry/backend/registry.hpp"

#include <charconv>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "ferry/error.hpp"

namespace ferry::inline v0 {

std::string_view to_string(MemoryKind kind) noexcept {
  constexpr std::string_view names[] = {"pageable", "pinned", "mapped", "managed", "device"};
  return names[static_cast<std::size_t>(kind)];
}

namespace backend {

// Written by the build from the folders under backends/.
extern const BackendEntry builtin_backends[];
extern const std::size_t builtin_backend_count;

MemorySpace::~MemorySpace() = default;
Backend::~Backend() = default;

namespace {

struct Registry {
  std::recursive_mutex mutex;
  std::vector<Backend*> backends;  // built in, in the build's order, then those added at run time
  Registry() {
    for (std::size_t i = 0; i < builtin_backend_count; ++i) {
      if (builtin_backends[i].make != nullptr) backends.push_back(builtin_backends[i].make());
    }
  }
  Backend* find(std::string_view name) const {
    for (Backend* backend : backends) {
      if (backend->name() == name) return backend;
    }
    return nullptr;
  }
};

Registry& registry() {
  static Registry& instance = *new Registry;  // leaked: arrays of static lifetime may outlive it otherwise
  return instance;
}

[[noreturn]] void throw_no_backend(const Registry& registry, std::string_view name) {
  for (std::size_t i = 0; i < builtin_backend_count; ++i) {
    if (name == builtin_backends[i].name) {
      throw BackendUnavailable("ferry: this build has no backend '" + std::string(name) + "'; configure with -D" +
                               builtin_backends[i].option + "=ON");
    }
  }
  std::string known;
  for (const Backend* backend : registry.backends) known += (known.empty() ? "" : ", ") + std::string(backend->name());
  throw BackendUnavailable("ferry: there is no backend '" + std::string(name) + "'; this build has " + known);
}

struct DeviceName {
  std::string_view backend;
  int index = 0;
};

DeviceName parse(std::string_view text) {
  const auto malformed = [&]() {
    throw AccessError("ferry: '" + std::string(text) + "' does not name a device; write \"host\", \"cuda\" or \"cuda:0\"");
  };
  const std::size_t colon = text.find(':');
  DeviceName name{text.substr(0, colon), 0};
  if (name.backend.empty()) malformed();
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), name.index);
    if (error != std::errc() || end != digits.data() + digits.size() || name.index < 0) malformed();
  }
  return name;
}

}  // namespace

void register_backend(std::unique_ptr<Backend> backend) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  if (r.find(backend->name()) != nullptr) {
    throw Error("ferry: a backend named '" + std::string(backend->name()) + "' is registered already");
  }
  r.backends.push_back(backend.get());
  static_cast<void>(backend.release());
}

MemorySpace& find_space(std::string_view device_name) {
  const DeviceName name = parse(device_name);
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  Backend* backend = r.find(name.backend);
  if (backend == nullptr) throw_no_backend(r, name.backend);
  const int count = backend->device_count();
  if (count == 0) throw BackendUnavailable("ferry: no device '" + std::string(device_name) + "': " + backend->unavailable_reason());
  if (name.index >= count) {
    throw BackendUnavailable("ferry: there is no device '" + std::string(device_name) + "'; the backend '" +
                             std::string(name.backend) + "' has " + std::to_string(count) +
                             (count == 1 ? " device" : " devices") + ", counted from 0");
  }
  return backend->space(name.index);
}

MemorySpace& default_space() {
  if (const char* wanted = std::getenv("FERRY_DEVICE"); wanted != nullptr && *wanted != '\0') return find_space(wanted);
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  for (Backend* backend : r.backends) {
    if (backend->is_accelerator() && backend->device_count() > 0) return backend->space(0);
  }
  return find_space("host");
}

}  // namespace backend
}  // namespace ferry::inline v0
