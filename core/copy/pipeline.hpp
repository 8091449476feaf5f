// Transfers between host and device that the host has to take part in: packed, sent and unpacked chunk by chunk, all
// three at a time.
#pragma once

#include "core/copy/box.hpp"
#include "ferry/stream.hpp"

namespace ferry::inline v0::copying {

/// The two sides of a transfer as one box: `a` is the host's, `b` the device's.
struct HostDeviceBox {
  Box box;
  std::byte* host = nullptr;    ///< where the host side's offset 0 lies
  std::byte* device = nullptr;  ///< where the device side's does
};

/// Packs the host's elements into page-locked memory, on the calling thread and the pool's, while chunks packed before
/// are on their way; the device puts chunks in order where they are not already. All is queued on `stream`; returns
/// when the host's side may be reused. Page-locked memory for Tuning::slots chunks and device memory for one.
/// @throws what the device's calls do; nothing is left in flight then
void upload(const HostDeviceBox& transfer, const Stream& stream);
/// The other way round. Returns when the host's side is filled.
void download(const HostDeviceBox& transfer, const Stream& stream);

/// For a host side that is page-locked and a single run: the driver moves it as it lies, the device does the rest.
/// Queued, and not waited for.
void upload_run(const HostDeviceBox& transfer, const Stream& stream);
void download_run(const HostDeviceBox& transfer, const Stream& stream);
/// The same for page-locked elements with gaps between them, which are moved along, as far as a temporary on the
/// device. The box must be in the host's order, with positive strides there.
void upload_span(const HostDeviceBox& transfer, const Stream& stream);
/// Bytes of the host's memory from a box's first byte to its last; its strides there are positive.
index_t host_span(const Box& box) noexcept;
/// The parts of a page-locked span that are moved one by one.
Cut cut_span(const HostDeviceBox& transfer);
/// Whether these parts are no longer than the device memory meant for them.
bool fits_stage(const HostDeviceBox& transfer);

}  // namespace ferry::inline v0::copying
