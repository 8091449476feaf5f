// expect: a scope needs memory that outlives it
#include <vector>

#include "ferry/ferry.hpp"

void lock(std::vector<float>& kept, const ferry::Stream& stream) {
  const auto scope = ferry::mapped({.stream = stream}, kept, std::vector<float>{1, 2, 3});
}
