// The example's program, whatever its kernels are made with.
#pragma once

#include <cstdio>
#include <ferry/ferry.hpp>
#include <string>

#include "../command_line.hpp"
#include "../write_png.hpp"
#include "terrain.hpp"

namespace terrain {

template <class Kernels>
void run(const ferry::Device& device, const std::string& input, const std::string& output, const Kernels& kernels) {
  const auto heights = ferry::load_npy<std::int16_t>(input);
  const Result result = analyse(device, heights, kernels);

  ferry::save_npy(output + "/terrain_columns.npy", result.columns);
  ferry::save_npy(output + "/terrain_relief.npy", result.relief);
  examples::write_png(output + "/terrain_relief.png", result.relief);

  std::printf("device   %s\n", device.name().c_str());
  std::printf("heights  %s of %s, %lld bytes\n", heights.shape().to_string().c_str(), heights.dtype().name().c_str(),
              static_cast<long long>(heights.nbytes()));
  double least = result.columns(0, 0), greatest = result.columns(1, 0), mean = 0;
  for (const double height : result.columns(0, ferry::slice())) least = height < least ? height : least;
  for (const double height : result.columns(1, ferry::slice())) greatest = height > greatest ? height : greatest;
  for (const double height : result.columns(2, ferry::slice()))
    mean += height / static_cast<double>(heights.shape()[1]);
  std::printf("range    %.0f to %.0f m, mean %.2f m\n", least, greatest, mean);
  std::printf("written  %s/terrain_{columns,relief}.npy and terrain_relief.png\n", output.c_str());
}

/// What main() returns.
template <class Kernels>
int program(const char* name, int argc, char** argv, const Kernels& kernels) {
  std::string device, input = "examples/data/jacksboro_fault_dem.npy", output = ".";
  return examples::CommandLine(name)
      .text("device", device)
      .text("input", input)
      .text("output", output)
      .run(argc, argv, [&] { run(examples::device_named(device), input, output, kernels); });
}

}  // namespace terrain
