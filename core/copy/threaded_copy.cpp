#include "core/copy/threaded_copy.hpp"

#include <algorithm>
#include <utility>

#include "core/copy/box.hpp"
#include "core/copy/plan.hpp"
#include "core/copy/tuning.hpp"
#include "core/copy/workers.hpp"

namespace ferry::inline v0::copying {

void threaded_copy(const backend::StridedCopy& copy, index_t bytes, int helpers) {
  if (helpers == 0) return backend::host_copy(copy);
  // A few long parts for each thread, cut across planes of a transposition as long as there are other axes: of short
  // ones it would read lines that it does not use up.
  const backend::StridedCopy planes = with_planes_last(copy);
  const Cut cut({planes.extents, planes.to_strides, planes.from_strides, 0, 0, 0, planes.itemsize},
                std::max(tuning().piece, bytes / (4 * (helpers + 1))));
  for_each_piece(helpers, cut.count(), [&](index_t number) {
    const Box part = cut.part(number);
    Plan plan{part.extents, part.a_strides, part.b_strides, part.a, part.b, false};
    simplify(plan);
    backend::host_copy(to_copy(std::move(plan), copy.to, copy.from, part.itemsize));
  });
}

}  // namespace ferry::inline v0::copying
