#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif

#include "gpu/kernels.hpp"

namespace ferry::test {

namespace {

__global__ void stall_kernel(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__global__ void add_kernel(int* values, std::int64_t n, int value) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    values[i] += value;
  }
}

__global__ void count_others_kernel(const std::uint8_t* values, std::int64_t n, std::uint8_t value,
                                    unsigned long long* others) {
  unsigned long long mine = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    mine += values[i] != value;
  }
  if (mine != 0) atomicAdd(others, mine);
}

}  // namespace

void stall(GPU(Stream_t) stream, int milliseconds) {
  stall_kernel<<<1, 1, 0, stream>>>(static_cast<long long>(milliseconds) * 1'500'000);
}
void launch_add(GPU(Stream_t) stream, int* values, std::int64_t n, int value) {
  add_kernel<<<256, 256, 0, stream>>>(values, n, value);
}
void launch_count_others(const std::uint8_t* values, std::int64_t n, std::uint8_t value, unsigned long long* others) {
  count_others_kernel<<<1024, 256>>>(values, n, value, others);
}

}  // namespace ferry::test
