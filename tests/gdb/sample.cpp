// Variables of every kind that the gdb printers know, for tests/gdb/check_printers.py to look at.
#include <complex>
#include <ferry/ferry.hpp>

namespace {

struct Point {
  float x, y;
};
FERRY_RECORD(Point, x, y);

void stop_here() {
  asm volatile("" ::: "memory");
}

}  // namespace

int main() {
  using namespace ferry;
  const HostArray<double> matrix = arange<double>(6).reshape(2, 3);
  const HostArray<double> reversed = matrix.transpose()(slice(none, none, -1));
  const HostArray<const std::int32_t> scalar = host_array<std::int32_t>({});
  const HostArray<float> empty = host_array<float>({0, 3});
  const HostArray<std::int64_t> large = arange<std::int64_t>(1000);
  const HostArray<Point> points = host_array<Point>({1});
  points.fill({1, 2});
  const NDArray<double> device = to_device(matrix);
  const AnyArray any = points;
  const Shape none_at_all, one{7}, nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const DType swapped = DType::scalar(Kind::floating, 8, 0, ByteOrder::swapped);
  const Layout layout = matrix.layout();
  const HostArray<double> unmade;
  stop_here();
  return static_cast<int>(any.size() + device.size() + scalar.size() + empty.size() + large.size() + reversed.size()) ==
             0 &&
         none_at_all == one && nine == one && swapped == any.dtype() && layout == matrix.layout() && unmade.empty();
}
