// Named options of the creating calls: {.stream = s, .device = dev}. One field order everywhere.
#pragma once

#include <string_view>

#include "ferry/config.hpp"
#include "ferry/device.hpp"
#include "ferry/dims.hpp"
#include "ferry/memory_resource.hpp"
#include "ferry/stream.hpp"

namespace ferry::inline v0 {

template <class T>
class NDArray;

/// For device_array, pinned_array, zeros and their like.
struct Alloc {
  Order order = Order::C;              ///< of a fresh array; the `_like` calls take K
  Strides strides = {};                ///< bytes; not empty: used instead of `order`, gaps allowed, aliasing refused
  Stream stream = {};                  ///< bound to the array, and decides the device when `device` is not set
  Device device = {};                  ///< default_device() when neither is set
  MemoryResource* resource = nullptr;  ///< the device's own when null
  std::string_view label = {};         ///< shown in reports of live memory
};

/// For mapped_array.
struct MappedAlloc {
  Order order = Order::C;              ///< of a fresh array
  Strides strides = {};                ///< bytes; not empty: used instead of `order`, gaps allowed, aliasing refused
  Stream stream = {};                  ///< bound to the array, and decides the device when `device` is not set
  Device device = {};                  ///< default_device() when neither is set
  MemoryResource* resource = nullptr;  ///< the device's own when null; one named here decides the flags itself
  std::string_view label = {};         ///< shown in reports of live memory
  bool portable = false;               ///< page-locked for every device, not just this one
  bool write_combined = false;         ///< fast for the host to write and the device to read, slow for the host to read
  bool fine_grained = false;           ///< see backend::MemoryFlags: matters on AMD only
};

/// For to_device.
template <class T>
struct ToDevice {
  Order order = Order::K;              ///< of the device array; K keeps the source's axis order
  Stream stream = {};                  ///< queues the transfer, and is bound to the array
  Device device = {};                  ///< default_device() when neither is set
  MemoryResource* resource = nullptr;  ///< the device's own when null
  std::string_view label = {};         ///< shown in reports of live memory
  bool transfer = true;                ///< false: allocate only, the content is undefined
  NDArray<T>* to = nullptr;            ///< copy into this array instead of allocating; the result aliases it
};

}  // namespace ferry::inline v0
