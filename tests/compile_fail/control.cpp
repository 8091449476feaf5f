// Compiles: what the other files of this folder do wrong, done right.
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
  return array.copy_to_host()(0);
}
