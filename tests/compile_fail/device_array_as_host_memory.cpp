// expect: no matching function
#include "ferry/ferry.hpp"

auto upload(const ferry::NDArray<float>& array) {
  return ferry::to_device(array);
}
