// Copies by the driver. See kernels.hpp for the others.
#include <algorithm>
#include <vector>

#include "backends/gpu/entry.hpp"
#include "backends/gpu/kernels.hpp"
#include "ferry/backend/convert.hpp"
#include "ferry/backend/fault.hpp"
#include "ferry/backend/strided.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::backend::gpu {

bool GpuSpace::is_device_memory(const void* address) const noexcept {
  return query(address).kind == MemoryKind::device;
}

bool GpuSpace::is_locked(const void* address, std::size_t bytes) const {
  const PointerInfo info = query(address);
  if (info.kind == MemoryKind::pageable) return false;
  const auto* const last = static_cast<const std::byte*>(address) + bytes - 1;
  if (info.base != nullptr) return last < static_cast<const std::byte*>(info.base) + info.bytes;
  return query(last).kind != MemoryKind::pageable;
}

void GpuSpace::settle(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes,
                      StreamHandle stream) {
  const bool filled = is_locked(to, to_bytes), reusable = is_locked(from, from_bytes);
  if (filled && reusable) return;
  // The driver takes a pageable source into memory of its own before it returns, if the target is the device's and no
  // page of the source is locked.
  std::vector<const std::byte*> cuts;
  if (buffers_pageable_sources && filled && is_device_memory(to) && !reads_pageable_memory_ &&
      !page_locks_.cuts(static_cast<const std::byte*>(from), from_bytes, cuts)) {
    return;
  }
  check("StreamSynchronize", FERRY_GPU(StreamSynchronize)(stream));
}

void GpuSpace::copy(void* to, const void* from, std::size_t bytes, NativeStream stream) {
  if (bytes == 0) return;
  const Entry entry(*this);
  auto* const on = static_cast<StreamHandle>(stream);
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  // The driver refuses a range of which only a part is page-locked, and one that spans two registrations.
  std::vector<const std::byte*> cuts;
  std::vector<std::size_t> ends;
  page_locks_.cuts(target, bytes, cuts);
  for (const std::byte* cut : cuts) ends.push_back(static_cast<std::size_t>(cut - target));
  cuts.clear();
  page_locks_.cuts(source, bytes, cuts);
  for (const std::byte* cut : cuts) ends.push_back(static_cast<std::size_t>(cut - source));
  std::sort(ends.begin(), ends.end());
  ends.push_back(bytes);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    check("MemcpyAsync",
          FERRY_GPU(MemcpyAsync)(target + begin, source + begin, end - begin, FERRY_GPU(MemcpyDefault), on));
    begin = end;
  }
  settle(to, bytes, from, bytes, on);
}

void GpuSpace::copy_pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                            std::size_t rows, NativeStream stream) {
  if (width > to_pitch || width > from_pitch) {
    fault::raise(gpu::backend_name, "copy_pitched", fault::invalid_value,
                 "a row is wider than the distance between rows");
  }
  if (width == 0 || rows == 0) return;
  if (rows == 1 || (width == to_pitch && width == from_pitch)) return copy(to, from, width * rows, stream);
  const Entry entry(*this);
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  const std::size_t to_span = to_pitch * (rows - 1) + width, from_span = from_pitch * (rows - 1) + width;
  std::vector<const std::byte*> cuts;
  page_locks_.cuts(target, to_span, cuts);
  page_locks_.cuts(source, from_span, cuts);
  if (!cuts.empty() || to_pitch > max_pitch_ || from_pitch > max_pitch_) {
    for (std::size_t row = 0; row < rows; ++row)
      copy(target + row * to_pitch, source + row * from_pitch, width, stream);
    return;
  }
  auto* const on = static_cast<StreamHandle>(stream);
  for (std::size_t row = 0; row < rows; row += std::min(rows - row, max_pitched_rows)) {
    check("Memcpy2DAsync",
          FERRY_GPU(Memcpy2DAsync)(target + row * to_pitch, to_pitch, source + row * from_pitch, from_pitch, width,
                                   std::min(rows - row, max_pitched_rows), FERRY_GPU(MemcpyDefault), on));
  }
  settle(to, to_span, from, from_span, on);
}

void GpuSpace::copy_peer(void* to, MemorySpace& source, const void* from, std::size_t bytes, NativeStream stream) {
  if (bytes == 0) return;
  const Entry entry(*this);
  check("MemcpyPeerAsync",
        FERRY_GPU(MemcpyPeerAsync)(to, device_, from, source.index(), bytes, static_cast<StreamHandle>(stream)));
}

void GpuSpace::prefetch(void* address, std::size_t bytes, bool to_device, NativeStream stream) {
  if (bytes == 0) return;
  const Entry entry(*this);
  const Status status = prefetch_async(address, bytes, to_device, device_, static_cast<StreamHandle>(stream));
  // Only a hint: where the driver cannot prefetch, the memory migrates when it is touched.
  if (status == FERRY_GPU(ErrorInvalidDevice) || status == FERRY_GPU(ErrorNotSupported)) {
    static_cast<void>(FERRY_GPU(GetLastError)());
    return;
  }
  check("MemPrefetchAsync", status);
}

void GpuSpace::copy_strided(const StridedCopy& copy, NativeStream stream) {
  const Entry entry(*this);
  check("copy_strided", launch_copy(copy, multiprocessors_, static_cast<StreamHandle>(stream)));
}

void GpuSpace::fill_strided(const StridedFill& fill, NativeStream stream) {
  const Entry entry(*this);
  auto* const on = static_cast<StreamHandle>(stream);
  if (fill.itemsize <= max_inline_pattern) {
    check("fill_strided", launch_fill(fill, multiprocessors_, on));
    return;
  }
  if (is_capturing(stream)) {
    throw AccessError("ferry: fill: elements of more than " + std::to_string(max_inline_pattern) +
                      " bytes cannot be filled while the stream is being captured");
  }
  // A pattern too long to travel with the launch lies in device memory meanwhile, and is copied as a repeated source.
  const auto bytes = static_cast<std::size_t>(fill.itemsize);
  void* const pattern = allocate(MemoryKind::device, bytes, {}, stream);
  try {
    copy(pattern, fill.pattern, bytes, stream);
    check("fill_strided", launch_copy({fill.to, static_cast<std::byte*>(pattern), fill.itemsize, fill.extents,
                                       fill.to_strides, Dims::filled(fill.extents.size(), 0)},
                                      multiprocessors_, on));
  } catch (...) {
    deallocate(MemoryKind::device, pattern, bytes, stream);
    throw;
  }
  deallocate(MemoryKind::device, pattern, bytes, stream);
}

void GpuSpace::convert_strided(const StridedConvert& convert, NativeStream stream) {
  if (!is_convertible(convert.to_dtype, convert.from_dtype)) {
    throw DTypeError("ferry: astype: there is no conversion from " + convert.from_dtype.name() + " to " +
                     convert.to_dtype.name());
  }
  const auto to = scalar_type_index(convert.to_dtype), from = scalar_type_index(convert.from_dtype);
  if (to >= gpu_scalar_type_count || from >= gpu_scalar_type_count) {
    throw DTypeError("ferry: astype: GPUs have no " +
                     (to >= gpu_scalar_type_count ? convert.to_dtype : convert.from_dtype).name() +
                     "; convert on the host");
  }
  const Entry entry(*this);
  check("convert_strided", launch_convert(convert, static_cast<int>(to), static_cast<int>(from), multiprocessors_,
                                          static_cast<StreamHandle>(stream)));
}

void GpuSpace::run(Task, NativeStream) {
  throw AccessError(std::string("ferry: ") + gpu::backend_name + ": this device does not run host code");
}

}  // namespace ferry::inline v0::backend::gpu
