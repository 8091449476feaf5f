// Reads a height map written by NumPy, works on it on a device, and writes what NumPy and a person can look at.
#include <cstdio>
#include <exception>
#include <string>

#include "../write_png.hpp"
#include "terrain.hpp"

namespace {

struct Arguments {
  std::string device, input, output = ".";
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--device")
      arguments.device = argv[i + 1];
    else if (name == "--input")
      arguments.input = argv[i + 1];
    else if (name == "--output")
      arguments.output = argv[i + 1];
    else
      return false;
  }
  return argc % 2 == 1 && !arguments.input.empty();
}

void run(const Arguments& arguments) {
  const ferry::Device device = arguments.device.empty() ? ferry::default_device() : ferry::Device(arguments.device);
  const auto heights = ferry::load_npy<std::int16_t>(arguments.input);
  const terrain::Result result = terrain::analyse(device, heights);

  ferry::save_npy(arguments.output + "/terrain_columns.npy", result.columns);
  ferry::save_npy(arguments.output + "/terrain_relief.npy", result.relief);
  examples::write_png(arguments.output + "/terrain_relief.png", result.relief);

  std::printf("device   %s\n", device.name().c_str());
  std::printf("heights  %s of %s, %lld bytes\n", heights.shape().to_string().c_str(), heights.dtype().name().c_str(),
              static_cast<long long>(heights.nbytes()));
  double least = result.columns(0, 0), greatest = result.columns(1, 0), mean = 0;
  for (const double height : result.columns(0, ferry::slice())) least = height < least ? height : least;
  for (const double height : result.columns(1, ferry::slice())) greatest = height > greatest ? height : greatest;
  for (const double height : result.columns(2, ferry::slice()))
    mean += height / static_cast<double>(heights.shape()[1]);
  std::printf("range    %.0f to %.0f m, mean %.2f m\n", least, greatest, mean);
  std::printf("written  %s/terrain_{columns,relief}.npy and terrain_relief.png\n", arguments.output.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr, "usage: terrain --input HEIGHTS.npy [--device NAME] [--output FOLDER]\n");
    return 2;
  }
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "terrain: %s\n", error.what());
    return 1;
  }
  return 0;
}
