#include "core/copy/speeds.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/copy/driver_copy.hpp"
#include "core/copy/threaded_copy.hpp"
#include "core/copy/tuning.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::copying {

namespace {

constexpr index_t size = index_t{16} << 20;
constexpr double infinite = std::numeric_limits<double>::infinity();

// Of a simulated device packing counts as free: no other route may then come before it that touches more than the
// elements, for which the simulator would find conflicts that are none.
constexpr Speeds of_simulated{50e9, 50e9, 2e12, infinite, infinite, 10e-6};

// The best of three, since whatever disturbs a run makes it slower.
template <class Run>
double best_time(const Run& run) {
  double best = infinite;
  for (int i = 0; i < 3; ++i) best = std::min(best, run());
  return std::max(best, 1e-9);
}

template <class Work>
double wall_time(const Work& work) {
  return best_time([&] {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
}

void measure_host(Speeds& speeds, int helpers) {
  // Touched, or the first run would measure how pages are made; and each run finds the caches full of the other half.
  const auto memory = std::make_unique<std::byte[]>(static_cast<std::size_t>(2 * size));
  std::byte *const a = memory.get(), *const b = a + size;
  const backend::StridedCopy dense{a, b, size, {}, {}, {}};
  speeds.memory = static_cast<double>(size) / wall_time([&] { threaded_copy(dense, size, helpers); });
  const backend::StridedCopy gather{a, b, 4, {size / 8}, {4}, {8}};
  speeds.elements = static_cast<double>(size / 8) / wall_time([&] { threaded_copy(gather, size / 2, helpers); });
}

void measure_device(Speeds& speeds, detail::DeviceState& device) {
  const Stream stream(device.handle(), {.non_blocking = true});
  backend::MemorySpace& space = device.space();
  const detail::ArrayHandle host = staging_memory(MemoryKind::pinned, size, stream);
  const detail::ArrayHandle there = staging_memory(MemoryKind::device, 2 * size, stream);
  const auto time_of = [&](std::byte* to, const std::byte* from, index_t bytes) {
    return wall_time([&] {
      space.copy(to, from, static_cast<std::size_t>(bytes), stream.native());
      stream.synchronize();
    });
  };
  constexpr index_t short_one = 64;
  speeds.call = time_of(there.base, host.base, short_one);
  const auto rate = [&](double time) { return static_cast<double>(size) / std::max(time - speeds.call, time / 10); };
  speeds.up = rate(time_of(there.base, host.base, size));
  speeds.down = rate(time_of(host.base, there.base, size));
  speeds.device = rate(time_of(there.base + size, there.base, size));
}

Speeds measure(detail::DeviceState& device, int helpers) {
  const backend::Capabilities has = device.space().capabilities();
  if (has.runs_tasks && has.asynchronous) return of_simulated;
  Speeds speeds{infinite, infinite, infinite, 0, 0, 0};
  measure_host(speeds, helpers);
  if (!has.device_is_host) measure_device(speeds, device);
  return speeds;
}

// What FERRY_COPY_TUNING says, in millions a second.
void replace(Speeds& speeds) {
  const std::pair<index_t, double&> said[] = {{tuning().up, speeds.up},
                                              {tuning().down, speeds.down},
                                              {tuning().device, speeds.device},
                                              {tuning().memory, speeds.memory},
                                              {tuning().elements, speeds.elements}};
  for (const auto& [millions, speed] : said) {
    if (millions != 0) speed = 1e6 * static_cast<double>(millions);
  }
}

}  // namespace

Speeds speeds_of(detail::DeviceState& device, int helpers) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::pair<detail::DeviceState*, int>, Speeds>;
  const std::lock_guard lock(mutex);
  const auto found = known.find({&device, helpers});
  if (found != known.end()) return found->second;
  Speeds speeds = of_simulated;
  bool measured = true;
  try {
    speeds = measure(device, helpers);
  } catch (const OutOfMemory&) {
    measured = false;
  }
  replace(speeds);
  if (measured) known.emplace(std::pair{&device, helpers}, speeds);
  return speeds;
}

}  // namespace ferry::inline v0::copying
