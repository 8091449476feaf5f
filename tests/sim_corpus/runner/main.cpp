// Runs one program of the corpus, wrong or corrected, on the device that FERRY_DEVICE names: for measuring which of
// them plain host memory and the sanitizers catch.
#include <cstdio>
#include <cstring>

#include "sim_corpus/corpus.hpp"

namespace {

using ferry::Device;
using ferry::test::corpus::Program;

int list() {
  for (const Program& program : ferry::test::corpus::all_programs()) std::puts(program.name);
  return 0;
}

/// Of the same backend, if it has a second device.
Device second_device(const Device& first) {
  try {
    return Device(std::string(first.space().backend_name()) + ":1");
  } catch (const ferry::BackendUnavailable&) {
    return first;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) return list();
  if (argc == 3) {
    const bool correct = std::strcmp(argv[2], "right") == 0;
    for (const Program& program : ferry::test::corpus::all_programs()) {
      if (std::strcmp(program.name, argv[1]) != 0) continue;
      try {
        const Device first = ferry::default_device();
        program.run(first, second_device(first), correct);
        first.synchronize();
        return 0;
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
      }
    }
  }
  std::fprintf(stderr, "usage: %s list | PROGRAM wrong|right\n", argv[0]);
  return 2;
}
