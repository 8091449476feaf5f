// expect: (cannot convert|no viable conversion)
#include "ferry/ferry.hpp"

float first(const ferry::ManagedArray<float>& array) {
  const float value = array(0);  // a view; array.host()(0) waits for the device first
  return value;
}
