// What the driver's own copies can do, and the memory that transfers pass through.
#pragma once

#include "ferry/backend/strided.hpp"
#include "ferry/detail/array_handle.hpp"

namespace ferry::inline v0::copying {

bool is_one_run(const backend::StridedCopy& copy);
/// Whether a copy between host and device is one run, or rows that are worth a driver's two-dimensional copy.
bool driver_should(const backend::StridedCopy& copy);
void by_driver(const backend::StridedCopy& copy, backend::MemorySpace& space, backend::NativeStream stream);

/// Bytes for the length of one operation.
detail::ArrayHandle staging_memory(MemoryKind kind, index_t bytes, const Stream& stream);

/// Threads of the pool that may help with a host copy of so many bytes, 0 for short ones. The host code of simulated
/// devices runs in an order that helpers would make unrepeatable, so there they help only when
/// FERRY_COPY_THREADS or set_copy_threads say so.
int helpers_for(const Stream& stream, index_t bytes);

}  // namespace ferry::inline v0::copying
