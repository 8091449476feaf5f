// What every way of getting Ferry must give: the compiled core, templates over it, the simulated device, and errors
// that can be caught.
#include <cstdio>
#include <ferry/ferry.hpp>
#include <string>

int main() {
  using namespace ferry;
  const std::string version = std::to_string(FERRY_VERSION_MAJOR) + "." + std::to_string(FERRY_VERSION_MINOR) + "." +
                              std::to_string(FERRY_VERSION_PATCH);
  if (version != EXPECTED_VERSION) {
    std::fprintf(stderr, "headers of %s, package of %s\n", version.c_str(), EXPECTED_VERSION);
    return 2;
  }
  for (const char* name : {"host", "sim:0"}) {
    const Device device(name);
    const Stream stream(device);
    const HostArray<double> h = arange<double>(12).reshape(3, 4);
    const NDArray<double> d = to_device(h, {.stream = stream});
    const auto v = d.device_view<2>();
    for_each_index(stream, {3, 4}, [=] FERRY_FUNCTION(index_t i, index_t j) { v(i, j) *= 2; });
    const HostArray<double> back = d.transpose().copy_to_host(stream).get();
    if (back(3, 2) != 22) {
      std::fprintf(stderr, "%s: 22 was expected, %g came back\n", name, back(3, 2));
      return 3;
    }
    try {
      static_cast<void>(d.reshape(5, 5));
      std::fprintf(stderr, "%s: 12 elements became 25\n", name);
      return 4;
    } catch (const ShapeError&) {
    }
  }
  std::puts("ferry works");
}
