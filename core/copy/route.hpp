// How a checked copy travels: chosen here, done by move_elements, told by explain.
#pragma once

#include <optional>

#include "core/copy/pipeline.hpp"
#include "core/copy/place.hpp"
#include "ferry/backend/strided.hpp"

namespace ferry::inline v0::copying {

/// One side of a copy.
struct Side {
  const detail::ArrayHandle* array = nullptr;
  Place place = {};
};

enum class Route : unsigned char {
  host,         ///< by threads of the host
  device,       ///< within a device: by the driver as one run, else by a kernel
  driver,       ///< between host and device, by one call to the driver
  locked_run,   ///< the driver moves a page-locked host side as it lies, a kernel puts it in order
  locked_span,  ///< the same with the gaps in it, to the device only
  pipeline,     ///< packed, moved and unpacked chunk by chunk
  peer,         ///< between devices of one backend
  relay,        ///< between devices of different backends, through the host
};

/// A route, and what of the copy was worked out to choose it.
struct Path {
  Route route;
  bool locked;                            ///< whether the host side of a transfer is page-locked
  backend::StridedCopy copy;              ///< the whole copy, planned
  std::optional<HostDeviceBox> transfer;  ///< for locked_run, locked_span and pipeline
};

/// Both sides have the same shape and some bytes. May measure the machine, once; touches no element. Where the cost
/// model had to choose between two paths, `rejected` gets the other one.
Path choose_path(const Side& to, const Side& from, const Stream& stream, std::optional<Path>* rejected = nullptr);

/// Whether the copy is one or more calls to the device that neither wait nor take memory of their own, as a stream that
/// is being captured needs.
bool is_direct(const Side& to, const Side& from, backend::MemorySpace& space);

}  // namespace ferry::inline v0::copying
