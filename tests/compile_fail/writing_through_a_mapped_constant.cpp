// expect: (no matching function|no matching member function|constraints not satisfied|discards qualifiers)
#include <vector>

#include "ferry/ferry.hpp"

void overwrite(const std::vector<float>& values) {
  const auto [view] = ferry::mapped(values);
  view.fill(1.0F);
}
