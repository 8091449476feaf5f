// expect: (use of deleted function|attempt to use a deleted function|call to deleted member function)
#include "ferry/ferry.hpp"

float* which_address(const ferry::MappedArray<float>& array) {
  return array.data();  // the host's or the device's? say host() or device()
}
