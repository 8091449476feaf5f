// expect: only arrays of the same element type are compared
#include "ferry/ferry.hpp"

bool compare(const ferry::NDArray<float>& a, const ferry::HostArray<double>& b) {
  return ferry::array_equal(a, b);
}
