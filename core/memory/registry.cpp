#include "ferry/backend/registry.hpp"

#include <algorithm>
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
void MemorySpace::copy_peer(void*, MemorySpace&, const void*, std::size_t, NativeStream) {
  throw AccessError("ferry: " + std::string(backend_name()) + ": this backend does not copy between its devices");
}
void MemorySpace::run_declared(Task task, const MemoryUse*, std::size_t, NativeStream stream) {
  run(std::move(task), stream);
}
Backend::~Backend() = default;

namespace {

// The backends in the build's order, then those added at run time. Each is made when it is first asked for, so that a
// program which stays on the host never wakes a GPU's driver, and never destroyed: arrays of static lifetime may
// outlive any owner.
class Registry {
 public:
  Registry() {
    for (std::size_t i = 0; i < builtin_backend_count; ++i) {
      const BackendEntry& entry = builtin_backends[i];
      if (entry.make != nullptr) slots_.push_back({entry.name, entry.make, nullptr});
    }
  }

  std::size_t size() const noexcept { return slots_.size(); }

  // A maker that throws is asked again next time.
  Backend& at(std::size_t i) {
    Slot& slot = slots_[i];
    if (slot.backend == nullptr) slot.backend = slot.make();
    return *slot.backend;
  }

  Backend* find(std::string_view name) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].name == name) return &at(i);
    }
    return nullptr;
  }

  bool has(std::string_view name) const noexcept {
    for (const Slot& slot : slots_) {
      if (slot.name == name) return true;
    }
    return false;
  }

  std::string names() const {
    std::string list;
    for (const Slot& slot : slots_) list += (list.empty() ? "'" : ", '") + slot.name + "'";
    return list;
  }

  void add(std::unique_ptr<Backend> backend) {
    slots_.push_back({std::string(backend->name()), nullptr, backend.get()});
    static_cast<void>(backend.release());
  }

  std::recursive_mutex mutex;  // recursive, because a backend that is being made may look for another

 private:
  struct Slot {
    std::string name;
    Backend* (*make)();
    Backend* backend;
  };
  std::vector<Slot> slots_;
};

Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

[[noreturn]] void throw_no_backend(const Registry& registry, std::string_view name) {
  for (std::size_t i = 0; i < builtin_backend_count; ++i) {
    if (name == builtin_backends[i].name) {
      throw BackendUnavailable("ferry: this build has no backend '" + std::string(name) + "'; configure with -D" +
                               builtin_backends[i].option + "=ON");
    }
  }
  throw BackendUnavailable("ferry: there is no backend '" + std::string(name) + "'; this program has " +
                           registry.names());
}

struct DeviceName {
  std::string_view backend;
  int index = 0;
};

[[noreturn]] void throw_malformed(std::string_view text) {
  throw AccessError("ferry: '" + std::string(text) +
                    "' does not name a device; write a backend, or a backend, a colon and a number counted from 0: "
                    "\"host\", \"cuda\", \"cuda:1\"");
}

DeviceName parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  DeviceName name{text.substr(0, colon), 0};
  if (name.backend.empty()) throw_malformed(text);
  if (colon == std::string_view::npos) return name;
  const char *const first = text.data() + colon + 1, *const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, name.index);
  // from_chars takes a minus sign, and "-0" is no negative number.
  if (error != std::errc() || end != last || *first == '-') throw_malformed(text);
  return name;
}

}  // namespace

void register_backend(std::unique_ptr<Backend> backend) {
  if (backend == nullptr) throw Error("ferry: register_backend was given no backend");
  const std::string name(backend->name());
  if (name.empty() || name.find(':') != std::string::npos) {
    throw Error("ferry: '" + name + "' cannot name a backend: device names are written \"backend:number\"");
  }
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  if (r.has(name)) throw Error("ferry: a backend named '" + name + "' is registered already");
  r.add(std::move(backend));
}

std::vector<BackendStatus> backend_list() {
  std::vector<BackendStatus> list;
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  for (std::size_t i = 0; i < r.size(); ++i) {
    Backend& backend = r.at(i);
    const int devices = backend.device_count();
    list.push_back({std::string(backend.name()), true, {}, devices, devices > 0 ? "" : backend.unavailable_reason()});
  }
  for (std::size_t i = 0; i < builtin_backend_count; ++i) {
    const BackendEntry& entry = builtin_backends[i];
    const auto listed = std::find_if(list.begin(), list.end(), [&](const auto& row) { return row.name == entry.name; });
    if (listed != list.end()) {
      listed->option = entry.option;
    } else {
      list.push_back(
          {entry.name, false, entry.option, 0, "not built; configure with -D" + std::string(entry.option) + "=ON"});
    }
  }
  return list;
}

MemorySpace& find_space(std::string_view device_name) {
  const DeviceName name = parse(device_name);
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  Backend* backend = r.find(name.backend);
  if (backend == nullptr) throw_no_backend(r, name.backend);
  const int count = backend->device_count();
  if (count <= 0) {
    throw BackendUnavailable("ferry: no device '" + std::string(device_name) + "': " + backend->unavailable_reason());
  }
  if (name.index >= count) {
    throw BackendUnavailable("ferry: there is no device '" + std::string(device_name) + "'; the backend '" +
                             std::string(name.backend) + "' has " + std::to_string(count) +
                             (count == 1 ? " device" : " devices") + ", counted from 0");
  }
  return backend->space(name.index);
}

MemorySpace& default_space() {
  if (const char* wanted = std::getenv("FERRY_DEVICE"); wanted != nullptr && *wanted != '\0') {
    constexpr const char* hint = " (the environment variable FERRY_DEVICE asks for it)";
    try {
      return find_space(wanted);
    } catch (const BackendUnavailable& error) {
      throw BackendUnavailable(std::string(error.what()) + hint);
    } catch (const AccessError& error) {
      throw AccessError(std::string(error.what()) + hint);
    }
  }
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  for (std::size_t i = 0; i < r.size(); ++i) {
    Backend& backend = r.at(i);
    if (backend.is_accelerator() && backend.device_count() > 0) return backend.space(0);
  }
  return find_space("host");
}

}  // namespace backend
}  // namespace ferry::inline v0
