// What the example is about; in files it is NumPy's structured dtype of the same fields.
#pragma once

#include <cstdint>
#include <ferry/ferry.hpp>

namespace particles {

struct Particle {
  double position[3];
  double velocity[3];
  float mass;
  std::int32_t number;
};
FERRY_RECORD(Particle, position, velocity, mass, number);

}  // namespace particles
