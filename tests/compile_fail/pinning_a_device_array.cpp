// expect: no matching function
#include "ferry/ferry.hpp"

auto lock(const ferry::NDArray<float>& array) {
  return ferry::pinned(array);
}
