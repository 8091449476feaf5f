// expect: (cannot convert|no viable conversion)
#include "ferry/ferry.hpp"

float first(const ferry::NDArray<float>& array) {
  const float value = array(0);  // a view of rank 0 in device memory, not an element
  return value;
}
