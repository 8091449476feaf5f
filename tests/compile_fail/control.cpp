// Compiles: what the other files of this folder do wrong, done right.
#include <span>
#include <vector>

#include "ferry/ferry.hpp"

struct Point {
  float x, y;
};
FERRY_RECORD(Point, x, y);

float control(std::vector<float>& values) {
  const ferry::Stream stream(ferry::Device("host"));
  const auto array = ferry::to_device(values);
  const ferry::NDArray<const float> read_only = array;
  array(ferry::slice(1, ferry::none)).assign(1.0F);
  array.copy_to_device(values, stream).wait();
  array.astype<double>().copy_to_host();
  const auto points = ferry::device_array<Point>({3});
  points.field(&Point::x).fill(read_only.item(0));
  const auto guard = ferry::pinned(values, std::span(values).first(1), array.copy_to_host());
  const auto [view] = ferry::mapped({.stream = stream}, values);
  view.fill(1.0F);
  const auto mapped_array = ferry::mapped_array<float>({3});
  mapped_array.host().data()[0] = 1.0F;
  if (ferry::array_equal(array, mapped_array)) return mapped_array.host()(0);
  return array.copy_to_host()(0);
}
