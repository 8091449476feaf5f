// expect: a scope needs memory that outlives it
#include <vector>

#include "ferry/ferry.hpp"

void lock() {
  const auto guard = ferry::pinned(std::vector<float>{1, 2, 3});
}
