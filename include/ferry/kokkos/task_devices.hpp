// Devices whose kernels are host code, but whose memory and queues are not the host's: simulated ones.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "ferry/backend/memory_space.hpp"
#include "ferry/config.hpp"
#include "ferry/device.hpp"
#include "ferry/kokkos/session.hpp"

namespace ferry::inline v0::kokkos::impl {

/// Those that the program has used with Kokkos. For Kokkos their memory is the host's.
class TaskDevices {
 public:
  /// What is queued on such a device when Kokkos::finalize is called is done there.
  static void note(const Device& device) {
    const backend::Capabilities has = device.space().capabilities();
    if (!has.runs_tasks || !has.asynchronous) return;
    List& list = get();
    const std::lock_guard lock(list.mutex);
    if (std::find(list.devices.begin(), list.devices.end(), device) != list.devices.end()) return;
    list.devices.push_back(device);
    at_finalize([device] {
      {
        List& known = get();
        const std::lock_guard known_lock(known.mutex);
        known.devices.erase(std::remove(known.devices.begin(), known.devices.end(), device), known.devices.end());
      }
      device.synchronize();
    });
  }

  /// The device to whose kernels alone an address belongs; unset for addresses that are the host's.
  static Device of(const void* address) {
    List& list = get();
    const std::lock_guard lock(list.mutex);
    for (const Device& device : list.devices) {
      const backend::PointerInfo info = device.space().query(address);
      if (info.device < 0) continue;
      const Device owner = Device(std::string(device.space().backend_name()) + ":" + std::to_string(info.device));
      if (info.kind == MemoryKind::device) return owner;
      if (info.kind != MemoryKind::pinned && info.device_pointer == address) return owner;
    }
    return {};
  }

 private:
  struct List {
    std::mutex mutex;
    std::vector<Device> devices;
  };
  static List& get() {
    static List& list = *new List;
    return list;
  }
};

}  // namespace ferry::inline v0::kokkos::impl
