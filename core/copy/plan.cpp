#include "core/copy/plan.hpp"

#include <cstdlib>
#include <utility>

namespace ferry::inline v0::copying {

Plan pair_up(const Layout& to, const Layout& from) {
  return {to.shape(), to.strides(), from.strides(), to.offset(), from.offset(), to.empty()};
}

void drop_unit_axes(Plan& plan) {
  std::size_t kept = 0;
  for (std::size_t axis = 0; axis < plan.extents.size(); ++axis)
    if (plan.extents[axis] != 1) ++kept;
  if (kept == plan.extents.size()) return;
  Dims extents = Dims::uninitialised(kept), to = extents, from = extents;
  for (std::size_t axis = 0, out = 0; axis < plan.extents.size(); ++axis) {
    if (plan.extents[axis] == 1) continue;
    extents[out] = plan.extents[axis];
    to[out] = plan.to_strides[axis];
    from[out++] = plan.from_strides[axis];
  }
  plan.extents = std::move(extents);
  plan.to_strides = std::move(to);
  plan.from_strides = std::move(from);
}

void order_axes(Plan& plan) {
  const auto slower = [&](std::size_t a, std::size_t b) {
    const index_t to_a = std::abs(plan.to_strides[a]), to_b = std::abs(plan.to_strides[b]);
    if (to_a != to_b) return to_a > to_b;
    return std::abs(plan.from_strides[a]) > std::abs(plan.from_strides[b]);
  };
  // Insertion sort: a handful of axes, usually in order already.
  for (std::size_t i = 1; i < plan.extents.size(); ++i) {
    for (std::size_t j = i; j > 0 && slower(j, j - 1); --j) {
      std::swap(plan.extents[j], plan.extents[j - 1]);
      std::swap(plan.to_strides[j], plan.to_strides[j - 1]);
      std::swap(plan.from_strides[j], plan.from_strides[j - 1]);
    }
  }
}

void flip_negatives(Plan& plan) {
  for (std::size_t axis = 0; axis < plan.extents.size(); ++axis) {
    if (plan.to_strides[axis] >= 0) continue;
    plan.to_offset += (plan.extents[axis] - 1) * plan.to_strides[axis];
    plan.from_offset += (plan.extents[axis] - 1) * plan.from_strides[axis];
    plan.to_strides[axis] = -plan.to_strides[axis];
    plan.from_strides[axis] = -plan.from_strides[axis];
  }
}

void merge_axes(Plan& plan) {
  std::size_t last = 0;  // the axis that later ones are merged into
  const std::size_t rank = plan.extents.size();
  for (std::size_t axis = 1; axis < rank; ++axis) {
    const index_t n = plan.extents[axis];
    if (plan.to_strides[last] == plan.to_strides[axis] * n && plan.from_strides[last] == plan.from_strides[axis] * n) {
      plan.extents[last] *= n;
    } else {
      plan.extents[++last] = n;
    }
    plan.to_strides[last] = plan.to_strides[axis];
    plan.from_strides[last] = plan.from_strides[axis];
  }
  if (rank == 0) return;
  plan.extents = Dims(plan.extents.data(), last + 1);
  plan.to_strides = Dims(plan.to_strides.data(), last + 1);
  plan.from_strides = Dims(plan.from_strides.data(), last + 1);
}

void simplify(Plan& plan) {
  drop_unit_axes(plan);
  if (plan.empty) return;
  order_axes(plan);
  flip_negatives(plan);
  merge_axes(plan);
}

index_t absorb_run(Plan& plan, index_t itemsize) {
  if (plan.extents.empty() || plan.to_strides.back() != itemsize || plan.from_strides.back() != itemsize)
    return itemsize;
  const std::size_t last = plan.extents.size() - 1;
  itemsize *= plan.extents[last];
  plan.extents.erase(last);
  plan.to_strides.erase(last);
  plan.from_strides.erase(last);
  return itemsize;
}

backend::StridedCopy to_copy(Plan plan, std::byte* to_base, const std::byte* from_base, index_t itemsize) {
  const index_t run = absorb_run(plan, itemsize);
  return {to_base + plan.to_offset, from_base + plan.from_offset, run,
          std::move(plan.extents),  std::move(plan.to_strides),   std::move(plan.from_strides)};
}

namespace {
// The source's fastest axis, the last one where there is no faster.
std::size_t fastest_of_source(const backend::StridedCopy& copy) noexcept {
  std::size_t best = copy.extents.size() - 1;
  for (std::size_t axis = 0; axis + 1 < copy.extents.size(); ++axis) {
    const index_t stride = std::abs(copy.from_strides[axis]);
    if (stride != 0 && stride < std::abs(copy.from_strides[best])) best = axis;
  }
  return best;
}
}  // namespace

bool is_transposed(const backend::StridedCopy& copy) noexcept {
  return !copy.extents.empty() && fastest_of_source(copy) != copy.extents.size() - 1;
}

backend::StridedCopy with_planes_last(backend::StridedCopy copy) noexcept {
  if (!is_transposed(copy)) return copy;
  for (std::size_t axis = fastest_of_source(copy); axis + 2 < copy.extents.size(); ++axis) {
    std::swap(copy.extents[axis], copy.extents[axis + 1]);
    std::swap(copy.to_strides[axis], copy.to_strides[axis + 1]);
    std::swap(copy.from_strides[axis], copy.from_strides[axis + 1]);
  }
  return copy;
}

backend::StridedCopy plan_copy(std::byte* to_base, const Layout& to, const std::byte* from_base, const Layout& from) {
  Plan plan = pair_up(to, from);
  simplify(plan);
  return to_copy(std::move(plan), to_base, from_base, to.itemsize());
}

}  // namespace ferry::inline v0::copying
