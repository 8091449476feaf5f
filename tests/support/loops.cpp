#include "support/loops.hpp"

#include "support/test_device.hpp"

namespace ferry::test {

void add_to_each(const DeviceView<index_t, 1>& view, index_t value) {
  for_each_index(device(), {view.extent(0)}, [=] FERRY_FUNCTION(index_t i) { view(i) += value; });
}
void add_to_each(const DeviceView<int, 2>& view, int value) {
  for_each_index(device(), {view.extent(0), view.extent(1)},
                 [=] FERRY_FUNCTION(index_t i, index_t j) { view(i, j) += value; });
}
void double_each(const DeviceView<double, 1>& view) {
  for_each_index(device(), {view.extent(0)}, [=] FERRY_FUNCTION(index_t i) { view(i) *= 2; });
}
void set_scalar(const DeviceView<int, 0>& view, int value) {
  for_each_index(device(), {}, [=] FERRY_FUNCTION() { view() = value; });
}
void set_each(const DeviceView<std::uint8_t, 3>& view, std::uint8_t value) {
  for_each_index(device(), {view.extent(0), view.extent(1), view.extent(2)},
                 [=] FERRY_FUNCTION(index_t i, index_t j, index_t k) { view(i, j, k) = value; });
}

}  // namespace ferry::test
