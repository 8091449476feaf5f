// reshape and ravel: a view where strides can express it, else a copy in the order asked for.
#include "core/layout/axis_order.hpp"
#include "ferry/detail/array_handle.hpp"
#include "ferry/error.hpp"

namespace ferry::inline v0::detail {

namespace {

ArrayHandle reshaped(const char* call, const ArrayHandle& array, const DType& dtype, const Shape& shape, Order order,
                     Copy copy, const Stream& named) {
  Layout view;
  if (copy != Copy::always && layouts::try_reshape(array.layout, shape, order, view)) return {array, std::move(view)};
  if (copy == Copy::never) {
    throw LayoutError("ferry: " + std::string(call) + ": a " + dtype.name() + " array of " + array.layout.to_string() +
                      " cannot be seen as shape " + shape.to_string() +
                      " without a copy; allow one with Copy::if_needed");
  }
  // Dense in the order of reading, the elements are one run, which any shape can take.
  const ArrayHandle dense = copy_dense(call, array, dtype, order, named);
  layouts::try_reshape(dense.layout, shape, order, view);
  return {dense, std::move(view)};
}

}  // namespace

ArrayHandle reshape(const ArrayHandle& array, const DType& dtype, const Shape& shape, Order order, Copy copy,
                    const Stream& named) {
  if (order == Order::K) {
    throw ShapeError(
        "ferry: reshape: order K does not say in which order the elements are to be laid out; use C, F or A");
  }
  return reshaped("reshape", array, dtype, layouts::infer_shape(array.layout, shape),
                  layouts::resolve_order(array.layout, order), copy, named);
}

ArrayHandle ravel(const ArrayHandle& array, const DType& dtype, Order order, Copy copy, const Stream& named) {
  const Shape flat{array.layout.size()};
  if (order != Order::K) {
    return reshaped("ravel", array, dtype, flat, layouts::resolve_order(array.layout, order), copy, named);
  }
  // Memory order is C order once the axes stand in the order of their strides.
  const ArrayHandle sorted(array, layouts::permute(array.layout, layouts::axes_by_stride(array.layout)));
  return reshaped("ravel", sorted, dtype, flat, Order::C, copy, named);
}

}  // namespace ferry::inline v0::detail
