// The part of an array that does not depend on its element type, and the compiled operations on it.
#pragma once

#include <memory>
#include <string_view>

#include "ferry/config.hpp"
#include "ferry/device.hpp"
#include "ferry/dtype.hpp"
#include "ferry/layout.hpp"
#include "ferry/memory_resource.hpp"
#include "ferry/stream.hpp"
#include "ferry/transfer.hpp"

namespace ferry::inline v0::detail {

/// The control block: one per allocation, shared by all its views.
class Allocation;

/// By which of its addresses memory is reached, and so who does the work: mapped memory may have one for the host and
/// another for kernels.
enum class Face : unsigned char {
  host,    ///< the host's address; the host does the work once the device is done
  device,  ///< the address that kernels use; work is queued on streams
  both     ///< as `device`, and what operations return is memory of the same kind again
};

/// Memory and the layout of the elements in it. `memory` is null for borrowed host memory and for arrays that were
/// never given any; `base` is where the layout's offset 0 lies, by the face's address.
struct ArrayHandle {
  std::shared_ptr<Allocation> memory;
  std::byte* base = nullptr;
  Layout layout = empty_layout();
  Stream stream;  ///< bound; may be unset
  Face face = Face::host;
  bool scoped = false;  ///< the memory belongs to a scope that may have ended: check_open() before it is reached

  ArrayHandle() = default;
  ArrayHandle(std::shared_ptr<Allocation> m, std::byte* b, Layout l, Stream s, Face f)
      : memory(std::move(m)), base(b), layout(std::move(l)), stream(std::move(s)), face(f) {}
  /// A view: the same memory and stream under another layout.
  ArrayHandle(const ArrayHandle& parent, const Layout& l)
      : memory(parent.memory),
        base(parent.base),
        layout(l),
        stream(parent.stream),
        face(parent.face),
        scoped(parent.scoped) {}
  ArrayHandle(const ArrayHandle& parent, Layout&& l)
      : memory(parent.memory),
        base(parent.base),
        layout(std::move(l)),
        stream(parent.stream),
        face(parent.face),
        scoped(parent.scoped) {}

  /// Element (0, …, 0); null when the array has no memory.
  std::byte* data() const noexcept { return base == nullptr ? nullptr : base + layout.offset(); }

  FERRY_EXPORT static const Layout& empty_layout() noexcept;
};

/// How an array is to be allocated.
struct AllocationRequest {
  MemoryKind kind = MemoryKind::device;
  Stream stream = {};
  Device device = {};
  MemoryResource* resource = nullptr;
  std::string_view label = {};
  backend::MemoryFlags flags = {};
};

/// An element type as the compiled code needs it: made from dtype_of<T>() without copying it.
using DTypeRef = const DType&;

/// New memory for a layout whose lowest byte is at offset 0.
/// @throws OutOfMemory; AccessError when stream and device disagree, when kernels cannot reach mapped or managed
/// memory, or for flags beside a resource, which decides them itself
FERRY_EXPORT ArrayHandle allocate_array(const char* call, Layout layout, const AllocationRequest& request);
/// Explicit strides when `strides` is not empty (moved so that the lowest byte is at 0; aliasing is a LayoutError),
/// else dense in `order`.
FERRY_EXPORT Layout layout_for(const char* call, const Shape& shape, const Strides& strides, Order order,
                               index_t itemsize);
/// Foreign memory: `data` is element (0, …, 0); `owner` is released when the last view is gone and the work that Ferry
/// knows of is done. `label` is for observers of copies.
FERRY_EXPORT ArrayHandle wrap_memory(const char* call, void* data, const Shape& shape, const Strides& strides,
                                     index_t itemsize, MemoryKind kind, const Device& device,
                                     std::shared_ptr<void> owner, std::string_view label = {});
/// Host memory that stays the caller's, for the length of one call.
FERRY_EXPORT ArrayHandle borrow_host(const void* data, Layout layout);

FERRY_EXPORT Device device_of(const ArrayHandle& array);
FERRY_EXPORT MemoryKind kind_of(const ArrayHandle& array);
FERRY_EXPORT void note_use(const ArrayHandle& array, const Stream& stream);
/// Waits for all work that Ferry knows of on the array's memory, through whatever view.
/// @throws AccessError while a stream that is in use is being captured
FERRY_EXPORT void wait_for_uses(const ArrayHandle& array);
/// The same elements by another of their memory's addresses. Only for memory that has both.
FERRY_EXPORT ArrayHandle with_face(const ArrayHandle& array, Face face);
/// @throws LifetimeError when the array is a view that belonged to a scope, and the scope has ended
FERRY_EXPORT void check_open(const ArrayHandle& array);
/// @throws LayoutError when the view would leave the array's allocation
FERRY_EXPORT Layout as_strided(const ArrayHandle& array, const Shape& shape, const Strides& strides, index_t offset);

/// Moves managed memory to the device, or to the host, ahead of its use; queued, and not waited for.
FERRY_EXPORT void prefetch(const ArrayHandle& array, bool to_device, const Stream& named);

/// How shapes must agree.
enum class Match : unsigned char {
  equal,      ///< equal up to axes of length 1
  broadcast,  ///< the source broadcasts to the destination
};

/// Copies exactly the elements, in every combination of places. `named` is the stream named in the call, if any; `self`
/// is the array whose bound stream counts otherwise.
/// @throws before anything is touched: ShapeError, DTypeError, LayoutError for a destination whose elements alias
FERRY_EXPORT Transfer copy_elements(const char* call, const ArrayHandle& to, const DType& to_dtype,
                                    const ArrayHandle& from, const DType& from_dtype, Match match, const Stream& named,
                                    const ArrayHandle& self);
/// Writes one element's bytes everywhere.
FERRY_EXPORT void fill_elements(const char* call, const ArrayHandle& to, const DType& dtype, const void* element,
                                const Stream& named);
/// astype into a fresh array, in memory as that of copy_dense.
FERRY_EXPORT ArrayHandle convert_elements(const ArrayHandle& from, const DType& from_dtype, const DType& to_dtype,
                                          Order order, const Stream& named);
/// A fresh dense array of the same face and device with the same elements: in memory of the same kind, but that memory
/// which both sides reach gives memory of just the one side when the operand is just the one face.
FERRY_EXPORT ArrayHandle copy_dense(const char* call, const ArrayHandle& from, const DType& dtype, Order order,
                                    const Stream& named);
FERRY_EXPORT ArrayHandle reshape(const ArrayHandle& array, const DType& dtype, const Shape& shape, Order order,
                                 Copy copy, const Stream& named);
FERRY_EXPORT ArrayHandle ravel(const ArrayHandle& array, const DType& dtype, Order order, Copy copy,
                               const Stream& named);

/// Whether two host arrays have the same shape and the same bytes in each element.
FERRY_EXPORT bool equal_bytes(const ArrayHandle& a, const ArrayHandle& b) noexcept;

[[noreturn]] FERRY_EXPORT void throw_index_error(const Layout& layout, const index_t* index, std::size_t count);
[[noreturn]] FERRY_EXPORT void throw_misaligned(const char* call, const DType& dtype, const Layout& layout);
[[noreturn]] FERRY_EXPORT void throw_not_contiguous(const char* call, const DType& dtype, const Layout& layout);
[[noreturn]] FERRY_EXPORT void throw_rank_mismatch(const char* call, std::size_t wanted, const Layout& layout);
[[noreturn]] FERRY_EXPORT void throw_dtype_mismatch(const char* call, const DType& wanted, const DType& found);

}  // namespace ferry::inline v0::detail
