// Times Ferry's copies within a GPU for the cases of a file, one a line, as gpu_sweep.py writes them:
//
//   ITEMSIZE BATCH RANK EXTENTS… AXES… STEPS…
//
// The source is a dense array of EXTENTS, read as its axes permuted to AXES and every STEPS-th element taken along
// each; the target is dense. BATCH copies are queued between two events. Prints a line for each case: the median
// seconds of one copy, and whether the result was right.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstring>
#include <ferry/ferry.hpp>
#include <fstream>
#include <iostream>
#include <vector>

namespace {

using namespace ferry;

struct Rgb {
  float r, g, b;
};
FERRY_RECORD(Rgb, r, g, b);
struct Point {
  double x, y, z;
};
FERRY_RECORD(Point, x, y, z);

struct Case {
  index_t itemsize = 0;
  int batch = 1;
  Shape extents;
  Dims axes, steps;
};

bool read(std::istream& in, Case& found) {
  std::size_t rank = 0;
  if (!(in >> found.itemsize >> found.batch >> rank)) return false;
  found.extents = found.axes = found.steps = Dims::filled(rank, 0);
  for (Dims* const numbers : {&found.extents, &found.axes, &found.steps}) {
    for (index_t& number : *numbers) in >> number;
  }
  return static_cast<bool>(in);
}

// Bytes that differ from element to element.
template <class T>
NDArray<T> counted(const Shape& shape, const Device& device) {
  const auto array = device_array<T>(shape, {.device = device});
  const auto bytes = array.ravel().template view_as<std::uint8_t>();
  static const HostArray<std::uint8_t> block = [] {
    const auto made = host_array<std::uint8_t>({index_t{1} << 24});
    std::uint64_t state = 88172645463325252u;
    for (auto& byte : made) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      byte = static_cast<std::uint8_t>(state >> 32);
    }
    return made;
  }();
  for (index_t at = 0; at < bytes.size(); at += block.size()) {
    const index_t n = std::min(block.size(), bytes.size() - at);
    bytes(slice(at, at + n)).copy_to_device(block.view(slice(0, n)));
  }
  return array;
}

template <class T>
NDArray<T> one_element(NDArray<T> array, const Shape& index) {
  for (const index_t i : index) array = array(i);
  return array;
}

// At random places; the property suite checks all of smaller arrays.
template <class T>
bool is_right(const NDArray<T>& source, const Case& tried, const NDArray<T>& target) {
  std::uint64_t seed = 1;
  for (int i = 0; i < 20; ++i) {
    Shape to = target.shape(), from = source.shape();
    for (std::size_t axis = 0; axis < to.size(); ++axis) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      to[axis] = static_cast<index_t>((seed >> 33) % static_cast<std::uint64_t>(target.shape()[axis]));
      from[static_cast<std::size_t>(tried.axes[axis])] = to[axis] * tried.steps[axis];
    }
    const T expected = one_element(source, from).item(), found = one_element(target, to).item();
    if (std::memcmp(&expected, &found, sizeof(T)) != 0) return false;
  }
  return true;
}

template <class T>
void run(const Case& tried, const Device& device) {
  const Stream stream(device);
  const NDArray<T> source = counted<T>(tried.extents, device);
  const NDArray<T> permuted = source.permute(tried.axes);
  Shape shape = permuted.shape();
  Strides strides = permuted.strides();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    shape[axis] = (shape[axis] + tried.steps[axis] - 1) / tried.steps[axis];
    strides[axis] *= tried.steps[axis];
  }
  const NDArray<T> view = source.as_strided(shape, strides);
  const auto target = device_array<T>(view.shape(), {.stream = stream});
  target.assign(view, stream);
  std::vector<float> times;
  for (int i = 0; i < 20; ++i) {
    const Event start = stream.record(true);
    for (int k = 0; k < tried.batch; ++k) target.assign(view, stream);
    const Event stop = stream.record(true);
    times.push_back(elapsed_ms(start, stop) / static_cast<float>(tried.batch));
  }
  std::sort(times.begin(), times.end());
  std::printf("%.6g %s\n", static_cast<double>(times[times.size() / 2]) / 1e3,
              is_right(source, tried, target) ? "right" : "WRONG");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: gpu_sweep CASES\n";
    return 2;
  }
  try {
    const Device device("cuda:0");
    std::ifstream cases(argv[1]);
    for (Case tried; read(cases, tried);) {
      switch (tried.itemsize) {
        case 1:
          run<std::uint8_t>(tried, device);
          break;
        case 2:
          run<std::uint16_t>(tried, device);
          break;
        case 4:
          run<float>(tried, device);
          break;
        case 8:
          run<double>(tried, device);
          break;
        case 12:
          run<Rgb>(tried, device);
          break;
        case 16:
          run<std::complex<double>>(tried, device);
          break;
        case 24:
          run<Point>(tried, device);
          break;
        default:
          std::cerr << "no element of " << tried.itemsize << " bytes\n";
          return 2;
      }
    }
  } catch (const BackendUnavailable& error) {
    std::printf("skipped: %s\n", error.what());
  }
}
