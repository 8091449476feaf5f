// Compiled so that null means the thread's own default stream: Ferry's default stream is the legacy one all the same.
#include "gpu/per_thread_loop.hpp"

namespace ferry::test {

void add_by_loop(const Device& device, const DeviceView<int, 1>& view, int value) {
  for_each_index(device.default_stream(), {view.extent(0)}, [=] FERRY_FUNCTION(index_t i) { view(i) += value; });
}

}  // namespace ferry::test
