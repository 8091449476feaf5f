// The planner: small pure steps that bring an element-wise operation into its simplest form.
#pragma once

#include "ferry/backend/strided.hpp"
#include "ferry/config.hpp"
#include "ferry/layout.hpp"

namespace ferry::inline v0::copying {

/// Two layouts of one shape, walked together. Offsets and strides in bytes, relative to each side's base.
struct Plan {
  Dims extents;
  Dims to_strides, from_strides;
  index_t to_offset = 0, from_offset = 0;
  bool empty = false;
};

/// Both layouts must have the same shape.
Plan pair_up(const Layout& to, const Layout& from);

// Each step keeps the set of (destination, source) pairs. Named in the order in which simplify() takes them.
void drop_unit_axes(Plan& plan);
/// Slowest destination axis first; where the destination does not tell, the source decides.
void order_axes(Plan& plan);
/// Destination strides become positive.
void flip_negatives(Plan& plan);
/// Two neighbouring axes that both sides walk as one become one.
void merge_axes(Plan& plan);
void simplify(Plan& plan);

/// Bytes that both sides hold in a row: takes the last axis into the item when it is dense on both sides, and returns
/// the item's size.
index_t absorb_run(Plan& plan, index_t itemsize);

/// The copy that a plan stands for once its dense runs are taken into the item. Each base is where the plan's offset
/// 0 lies.
backend::StridedCopy to_copy(Plan plan, std::byte* to_base, const std::byte* from_base, index_t itemsize);

/// Whether the source is fastest along an axis other than the target's fastest, the last one.
bool is_transposed(const backend::StridedCopy& copy) noexcept;
/// The same copy with the source's fastest axis, of those before the last, brought next to the last.
backend::StridedCopy with_planes_last(backend::StridedCopy copy) noexcept;

/// All steps: the copy between two layouts of one shape in its simplest form, dense runs taken into the item. Each
/// base is where its layout's offset 0 lies.
backend::StridedCopy plan_copy(std::byte* to_base, const Layout& to, const std::byte* from_base, const Layout& from);

}  // namespace ferry::inline v0::copying
