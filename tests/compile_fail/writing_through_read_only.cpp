// expect: (no matching function|constraints not satisfied)
#include "ferry/ferry.hpp"

void overwrite(const ferry::NDArray<const float>& array) {
  array.fill(1.0F);
}
