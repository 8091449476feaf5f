// The device kernels, behind plain functions: who calls them need not be compiled as device code. Each queues its work
// and returns the launch's status; nothing is queued for an operation without elements.
#pragma once

#include "ferry/backend/strided.hpp"
#include "vendor.hpp"

namespace ferry::inline v0::backend::gpu {

/// `multiprocessors` of the current device, which decide how many blocks are worth launching.
FERRY_GPU(Error_t) launch_copy(const StridedCopy& copy, int multiprocessors, FERRY_GPU(Stream_t) stream);

/// Longest pattern, in bytes, that a launch carries along.
inline constexpr index_t max_inline_pattern = 1024;
/// @param fill  with itemsize <= max_inline_pattern; the pattern has been read when this returns
FERRY_GPU(Error_t) launch_fill(const StridedFill& fill, int multiprocessors, FERRY_GPU(Stream_t) stream);

/// @param to, from  positions of the two types in ScalarTypes, below gpu_scalar_type_count
FERRY_GPU(Error_t)
launch_convert(const StridedConvert& convert, int to, int from, int multiprocessors, FERRY_GPU(Stream_t) stream);

}  // namespace ferry::inline v0::backend::gpu
