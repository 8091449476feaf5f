// The loops that the suites run as kernels. They are in a file of their own because only a device compiler can make
// kernels of them; where none is used, they are host code.
#pragma once

#include <ferry/ferry.hpp>

namespace ferry::test {

/// Each on the suite's device, complete on return.
void add_to_each(const DeviceView<index_t, 1>& view, index_t value);
void add_to_each(const DeviceView<int, 2>& view, int value);
void double_each(const DeviceView<double, 1>& view);
void set_scalar(const DeviceView<int, 0>& view, int value);
void set_each(const DeviceView<std::uint8_t, 3>& view, std::uint8_t value);

}  // namespace ferry::test
