#include "support/stream_loops.hpp"

namespace ferry::test {

void add_on(const Stream& stream, const DeviceView<float, 1>& view, float value) {
  for_each_index(stream, {view.extent(0)}, [=] FERRY_FUNCTION(index_t i) { view(i) += value; });
}
void add_on(const Stream& stream, const DeviceView<index_t, 1>& view, index_t value) {
  for_each_index(stream, {view.extent(0)}, [=] FERRY_FUNCTION(index_t i) { view(i) += value; });
}
void add_on(const Stream& stream, const DeviceView<int, 2>& view, int value) {
  for_each_index(stream, {view.extent(0), view.extent(1)},
                 [=] FERRY_FUNCTION(index_t i, index_t j) { view(i, j) += value; });
}

}  // namespace ferry::test
