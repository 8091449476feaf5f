// The Kokkos kernels: written once, for Views of any layout.
#pragma once

#include <Kokkos_Core.hpp>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>

#include "particle.hpp"

namespace particles {

using ferry::NDArray;
using Exec = Kokkos::DefaultExecutionSpace;
using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<ferry::index_t>>;

/// Members of all particles: views into the records, or arrays of their own. Shapes (n, 3), (n, 3) and (n).
struct Members {
  NDArray<double> position, velocity;
  NDArray<float> mass;
};

template <class Layout>
using Vectors = ferry::kokkos::view_type<NDArray<double>, double* [3], Layout>;
template <class Layout>
using ConstVectors = ferry::kokkos::view_type<NDArray<double>, const double* [3], Layout>;
template <class Layout>
using Masses = ferry::kokkos::view_type<NDArray<float>, const float*, Layout>;

/// One step of time in a trap that pulls every particle back to the middle; the heavier, the slower.
template <class Layout>
struct Advance {
  Vectors<Layout> position, velocity;
  Masses<Layout> mass;
  double time_step;
  KOKKOS_FUNCTION void operator()(const ferry::index_t i) const {
    for (int axis = 0; axis < 3; ++axis) {
      velocity(i, axis) -= time_step / static_cast<double>(mass(i)) * position(i, axis);
      position(i, axis) += time_step * velocity(i, axis);
    }
  }
};

/// Twice the energy of motion and of the trap.
template <class Layout>
struct TwiceEnergy {
  ConstVectors<Layout> position, velocity;
  Masses<Layout> mass;
  KOKKOS_FUNCTION void operator()(const ferry::index_t i, double& sum) const {
    for (int axis = 0; axis < 3; ++axis) {
      sum +=
          static_cast<double>(mass(i)) * velocity(i, axis) * velocity(i, axis) + position(i, axis) * position(i, axis);
    }
  }
};

template <class Layout>
struct AdvanceAll {
  Advance<Layout> body;
  ferry::index_t count, steps;
  void operator()(const Exec& exec) const {
    for (ferry::index_t step = 0; step < steps; ++step) {
      Kokkos::parallel_for("advance", Policy(exec, 0, count), body);
    }
  }
};
template <class Layout>
struct SumEnergy {
  TwiceEnergy<Layout> body;
  ferry::index_t count;
  ferry::kokkos::view_type<NDArray<double>, double> result;
  void operator()(const Exec& exec) const { Kokkos::parallel_reduce("energy", Policy(exec, 0, count), body, result); }
};

/// Queues so many steps on the stream. `Layout`, that of all Views, must be one that the members have.
template <class Layout>
void advance(const ferry::Stream& stream, const Members& m, double time_step, ferry::index_t steps) {
  using ferry::kokkos::view;
  ferry::kokkos::launch(
      stream, ferry::reads(m.mass), ferry::writes(m.position, m.velocity),
      AdvanceAll<Layout>{{view<double* [3], Layout>(m.position), view<double* [3], Layout>(m.velocity),
                          view<const float*, Layout>(m.mass), time_step},
                         m.mass.size(),
                         steps});
}

/// Queues the sum into `result`, of rank 0, on the stream.
template <class Layout>
void twice_energy(const ferry::Stream& stream, const Members& m, const NDArray<double>& result) {
  using ferry::kokkos::view;
  ferry::kokkos::launch(
      stream, ferry::reads(m.position, m.velocity, m.mass), ferry::writes(result),
      SumEnergy<Layout>{{view<const double* [3], Layout>(m.position), view<const double* [3], Layout>(m.velocity),
                         view<const float*, Layout>(m.mass)},
                        m.mass.size(),
                        view<double>(result)});
}

}  // namespace particles
