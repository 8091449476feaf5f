// Particles as an array of records (AoS): Kokkos kernels work on its members in place, then on dense arrays of them
// (SoA) that the copy engine takes out of the records on the device and puts back.
#include <chrono>
#include <cstdio>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>
#include <string>

#include "../command_line.hpp"
#include "../kokkos_session.hpp"
#include "kernels.hpp"
#include "particle.hpp"

namespace {

using ferry::HostArray;
using ferry::index_t;
using ferry::NDArray;
using particles::Members;
using particles::Particle;

constexpr double time_step = 0.01;

struct Arguments {
  std::string device, output = ".";
  index_t count = 200000, steps = 200;
};

/// Spread over a cube and at rest, in page-locked memory.
HostArray<Particle> at_rest(index_t count) {
  const auto all = ferry::pinned_array<Particle>({count});
  for (index_t i = 0; i < count; ++i) {
    Particle& p = all(i);
    p = {};
    for (int axis = 0; axis < 3; ++axis)
      p.position[axis] = static_cast<double>((i + 1) * (7 + 4 * axis) % 101 - 50) / 50;
    p.mass = static_cast<float>(1 + i % 8) / 2;
    p.number = static_cast<std::int32_t>(i);
  }
  return all;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The steps on the members, and the energy after them.
template <class Layout>
void run_on(const ferry::Stream& stream, const Members& members, index_t steps, const char* name,
            index_t steps_before = 0) {
  const auto energy = ferry::device_array<double>({}, {.stream = stream, .label = "energy"});
  particles::advance<Layout>(stream, members, 0, 1);  // changes nothing: a GPU loads kernels when they run first
  stream.synchronize();
  const double start = seconds();
  particles::advance<Layout>(stream, members, time_step, steps);
  stream.synchronize();
  const double took = seconds() - start;
  particles::twice_energy<Layout>(stream, members, energy);
  std::printf("%-8s energy %.10g after %lld steps\n", name, energy.item() / 2,
              static_cast<long long>(steps_before + steps));
  std::fprintf(stderr, "%-8s %.2f ns for a particle and step\n", name,
               took * 1e9 / static_cast<double>(members.mass.size() * steps));
}

void run(const Arguments& arguments) {
  const ferry::Stream stream(examples::device_named(arguments.device));
  const auto start = at_rest(arguments.count);
  const NDArray<Particle> records = ferry::to_device(start, {.stream = stream, .label = "particles"});
  ferry::save_npy(arguments.output + "/particles_start.npy", start);
  std::printf("device   %s, Kokkos' %s\n", stream.device().name().c_str(), particles::Exec::name());

  // Views into the records: strides of a whole struct, no copy.
  const Members inside{records.field(&Particle::position), records.field(&Particle::velocity),
                       records.field(&Particle::mass)};
  // Arrays of their own. The first index runs fastest, as threads of a GPU want it.
  const Members dense{inside.position.copy(ferry::Order::F, stream), inside.velocity.copy(ferry::Order::F, stream),
                      inside.mass.copy(ferry::Order::F, stream)};

  run_on<Kokkos::LayoutStride>(stream, inside, arguments.steps, "records");
  run_on<Kokkos::LayoutLeft>(stream, dense, arguments.steps, "arrays");
  auto from_records = records.copy_to_host(stream);
  run_on<Kokkos::LayoutLeft>(stream, dense, arguments.steps, "arrays", arguments.steps);  // further

  inside.position.assign(dense.position, stream);
  inside.velocity.assign(dense.velocity, stream);
  auto from_arrays = records.copy_to_host(stream);
  ferry::save_npy(arguments.output + "/particles_records.npy", from_records.get());
  ferry::save_npy(arguments.output + "/particles_arrays.npy", from_arrays.get());
  std::printf("written  %s/particles_{start,records,arrays}.npy\n", arguments.output.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const examples::KokkosSession kokkos;
  Arguments arguments;
  return examples::CommandLine("particles")
      .text("device", arguments.device)
      .text("output", arguments.output)
      .number("count", arguments.count)
      .number("steps", arguments.steps)
      .run(argc, argv, [&] { run(arguments); });
}
