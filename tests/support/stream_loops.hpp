// Loops that run as kernels on a stream and are not waited for. In a file of their own, because only a device compiler
// can make kernels of them; where none is used, they are host code.
#pragma once

#include <ferry/ferry.hpp>

namespace ferry::test {

void add_on(const Stream& stream, const DeviceView<float, 1>& view, float value);
void add_on(const Stream& stream, const DeviceView<index_t, 1>& view, index_t value);
void add_on(const Stream& stream, const DeviceView<int, 2>& view, int value);

}  // namespace ferry::test
