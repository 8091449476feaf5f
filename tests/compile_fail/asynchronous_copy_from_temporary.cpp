// expect: an asynchronous copy needs memory that outlives the call
#include <vector>

#include "ferry/ferry.hpp"

void send(const ferry::NDArray<float>& array, const ferry::Stream& stream) {
  array.copy_to_device(std::vector<float>{1, 2, 3}, stream);
}
