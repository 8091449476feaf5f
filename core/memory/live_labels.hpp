// The labelled allocations that are alive, for the text of OutOfMemory.
#pragma once

#include <string>

namespace ferry::inline v0::detail {

class Allocation;

void add_label(const Allocation& allocation);
void remove_label(const Allocation& allocation) noexcept;
/// "velocity 1024 bytes, pressure 512 bytes": the sums of the largest live labels, largest first; empty without any.
std::string largest_labels();

}  // namespace ferry::inline v0::detail
