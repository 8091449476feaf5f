// Kernels of the tests as function objects: device compilers take no lambdas from the bodies of tests.
#pragma once

#include <Kokkos_Core.hpp>
#include <ferry/kokkos.hpp>

namespace ferry::test {

/// v(i) *= factor
template <class View>
struct Scale {
  View v;
  typename View::value_type factor;
  KOKKOS_FUNCTION void operator()(const int i) const { v(i) *= factor; }
};
/// v(i, j) = 100 i + j
template <class View>
struct Number {
  View v;
  KOKKOS_FUNCTION void operator()(const int i) const {
    for (int j = 0; j < static_cast<int>(v.extent(1)); ++j) {
      v(i, j) = static_cast<typename View::value_type>(100 * i + j);
    }
  }
};
/// to(i) = from(i)
template <class To, class From>
struct Assign {
  To to;
  From from;
  KOKKOS_FUNCTION void operator()(const int i) const { to(i) = from(i); }
};

/// The body over 0 … n-1 on the instance that launch() hands over.
template <class Body>
struct Loop {
  Body body;
  std::size_t n;
  template <class Exec>
  void operator()(const Exec& exec) const {
    Kokkos::parallel_for("ferry test", Kokkos::RangePolicy<Exec>(exec, 0, n), body);
  }
};
template <class Body>
Loop<Body> loop(std::size_t n, const Body& body) {
  return {body, n};
}

}  // namespace ferry::test
