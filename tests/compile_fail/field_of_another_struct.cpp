// expect: (no matching function|no matching member function)
#include "ferry/ferry.hpp"

struct Point {
  float x, y;
};
struct Other {
  float x, y;
};

auto coordinate(const ferry::NDArray<Point>& points) {
  return points.field(&Other::x);
}
