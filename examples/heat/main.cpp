// Heat spreads on a plate: Kokkos kernels work on Ferry's arrays, and pictures of the plate travel home on a second
// stream while the next steps run on the first.
#include <Kokkos_Core.hpp>
#include <array>
#include <cstdio>
#include <ferry/ferry.hpp>
#include <ferry/kokkos.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "../command_line.hpp"
#include "../kokkos_session.hpp"
#include "../write_png.hpp"

namespace {

using ferry::HostArray;
using ferry::index_t;
using ferry::NDArray;
using ferry::Stream;
using Exec = Kokkos::DefaultExecutionSpace;

struct Arguments {
  std::string device, output = ".";
  index_t rows = 480, columns = 640, steps = 2000, every = 200;
};

/// One step of time for one point within the border, which keeps its temperature.
struct Diffuse {
  ferry::kokkos::view_type<NDArray<double>, const double**> now;
  ferry::kokkos::view_type<NDArray<double>, double**> next;
  KOKKOS_FUNCTION void operator()(const index_t i, const index_t j) const {
    const double around = now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1);
    next(i, j) = now(i, j) + 0.2 * (around - 4 * now(i, j));
  }
};

/// 0 to 100 degrees as grey.
struct Paint {
  ferry::kokkos::view_type<NDArray<double>, const double**> temperature;
  ferry::kokkos::view_type<NDArray<std::uint8_t>, std::uint8_t**> picture;
  KOKKOS_FUNCTION void operator()(const index_t i, const index_t j) const {
    picture(i, j) = static_cast<std::uint8_t>(temperature(i, j) * 2.55 + 0.5);
  }
};

/// The body over a plate without a border of so many points; launch() calls it with the stream's instance.
template <class Body>
struct Everywhere {
  Body body;
  index_t border, rows, columns;
  void operator()(const Exec& exec) const {
    using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>,
                                         Kokkos::IndexType<index_t>>;
    Kokkos::parallel_for("heat", Policy(exec, {border, border}, {rows - border, columns - border}), body);
  }
};

/// A plate of 0 degrees with a disc of 100 and an upper edge of 60, as an existing Kokkos code may hold it: by columns.
Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> cold_plate(index_t rows, index_t columns) {
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> plate("plate", static_cast<std::size_t>(rows),
                                                                            static_cast<std::size_t>(columns));
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      const index_t down = i - rows / 2, right = j - columns / 3;
      plate(i, j) = 25 * (down * down + right * right) < rows * rows ? 100 : i == 0 ? 60 : 0;
    }
  }
  return plate;
}

void run(const Arguments& arguments) {
  if (arguments.rows < 3 || arguments.columns < 3)
    throw std::invalid_argument("a plate has 3 rows and columns at least");
  const ferry::Device device = examples::device_named(arguments.device);
  const index_t rows = arguments.rows, columns = arguments.columns;
  const ferry::Shape shape{rows, columns};
  const Stream compute(device), homeward(device);

  const auto plate = cold_plate(rows, columns);
  auto now = ferry::device_array<double>(shape, {.stream = compute, .label = "temperature"});
  auto next = ferry::device_array<double>(shape, {.stream = compute, .label = "temperature after the step"});
  ferry::kokkos::deep_copy(compute, now, plate);  // from columns to rows on the way
  ferry::kokkos::deep_copy(compute, next, plate);
  ferry::save_npy(arguments.output + "/heat_start.npy", ferry::kokkos::wrap(plate));

  std::array<NDArray<std::uint8_t>, 2> pictures;  // one is painted while the other travels
  for (auto& picture : pictures)
    picture = ferry::device_array<std::uint8_t>(shape, {.stream = compute, .label = "picture"});
  std::optional<ferry::Pending<HostArray<std::uint8_t>>> underway;
  index_t frames = 0;
  const auto write_frame = [&] {
    char name[32];
    std::snprintf(name, sizeof name, "/heat_%04lld.png", static_cast<long long>(frames));
    examples::write_png(arguments.output + name, underway->get());
    ++frames;
  };
  for (index_t step = 1; step <= arguments.steps; ++step) {
    ferry::kokkos::launch(
        compute, ferry::reads(now), ferry::writes(next),
        Everywhere<Diffuse>{
            {ferry::kokkos::view<const double**>(now), ferry::kokkos::view<double**>(next)}, 1, rows, columns});
    std::swap(now, next);
    if (step % arguments.every != 0) continue;

    // What was on it before is home: it was written to its file in the last turn.
    const auto& picture = pictures[static_cast<std::size_t>(step / arguments.every % 2)];
    ferry::kokkos::launch(
        compute, ferry::reads(now), ferry::writes(picture),
        Everywhere<Paint>{{ferry::kokkos::view<const double**>(now), ferry::kokkos::view<std::uint8_t**>(picture)},
                          0,
                          rows,
                          columns});
    homeward.wait(compute.record());
    auto home = picture.copy_to_host(homeward);
    if (underway) write_frame();
    underway = std::move(home);
  }
  if (underway) write_frame();
  const HostArray<double> end = now.copy_to_host(compute).get();
  ferry::save_npy(arguments.output + "/heat_end.npy", end);
  double sum = 0;
  for (const double temperature : end) sum += temperature;
  std::printf("device   %s, Kokkos' %s\n", device.name().c_str(), Exec::name());
  std::printf("plate    %s, %lld steps\n", shape.to_string().c_str(), static_cast<long long>(arguments.steps));
  std::printf("mean     %.10g degrees\n", sum / static_cast<double>(end.size()));
  std::printf("written  %s/heat_{start,end}.npy and %lld pictures\n", arguments.output.c_str(),
              static_cast<long long>(frames));
}

}  // namespace

int main(int argc, char** argv) {
  const examples::KokkosSession kokkos;
  Arguments arguments;
  return examples::CommandLine("heat")
      .text("device", arguments.device)
      .text("output", arguments.output)
      .number("rows", arguments.rows)
      .number("columns", arguments.columns)
      .number("steps", arguments.steps)
      .number("every", arguments.every)
      .run(argc, argv, [&] { run(arguments); });
}
