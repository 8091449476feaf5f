// expect: both sides of a copy must have the same element type
#include <vector>

#include "ferry/ferry.hpp"

void send(const ferry::NDArray<float>& array, const std::vector<double>& values) {
  array.copy_to_device(values);
}
