// Host routes in place of the kernels, run by the simulated device when their turn comes.
#include "backends/gpu/kernels.hpp"
#include "hip_adapter/on_sim.hpp"
#include "hip_adapter/run_as_kernel.hpp"
#include "hip_adapter/streams.hpp"

namespace ferry::inline v0::backend::gpu {

using hip_adapter::current_space;
using hip_adapter::native;
using hip_adapter::status_of;

hipError_t launch_copy(const StridedCopy& copy, int, hipStream_t stream) {
  return static_cast<hipError_t>(status_of([&] { current_space().copy_strided(copy, native(stream)); }));
}
hipError_t launch_fill(const StridedFill& fill, int, hipStream_t stream) {
  return static_cast<hipError_t>(status_of([&] { current_space().fill_strided(fill, native(stream)); }));
}
hipError_t launch_convert(const StridedConvert& convert, int, int, int, hipStream_t stream) {
  return static_cast<hipError_t>(status_of([&] { current_space().convert_strided(convert, native(stream)); }));
}

}  // namespace ferry::inline v0::backend::gpu

namespace ferry::hip_adapter {

void run_as_kernel(Task task, void* stream) {
  current_space().run(std::move(task), native(stream));
}

}  // namespace ferry::hip_adapter
