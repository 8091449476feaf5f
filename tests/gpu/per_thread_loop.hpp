#pragma once

#include <ferry/ferry.hpp>

namespace ferry::test {

/// Adds a value to each, by for_each_index on the device's default stream; queued. Its file is compiled with default
/// streams of each thread.
void add_by_loop(const Device& device, const DeviceView<int, 1>& view, int value);

}  // namespace ferry::test
