#include "ferry/memory_resource.hpp"

namespace ferry::inline v0 {

MemoryResource::~MemoryResource() = default;
void MemoryResource::trim() {}

void* MemoryResource::allocate(std::size_t bytes, backend::NativeStream stream) {
  void* address = do_allocate(bytes, stream);
  const std::size_t live = live_bytes_.fetch_add(bytes) + bytes;
  std::size_t peak = peak_bytes_.load();
  while (live > peak && !peak_bytes_.compare_exchange_weak(peak, live)) {
  }
  allocations_.fetch_add(1);
  return address;
}

void MemoryResource::deallocate(void* address, std::size_t bytes, backend::NativeStream stream) {
  do_deallocate(address, bytes, stream);
  live_bytes_.fetch_sub(bytes);
  deallocations_.fetch_add(1);
}

MemoryStats MemoryResource::stats() const noexcept {
  const std::size_t allocations = allocations_, deallocations = deallocations_;
  return {allocations - deallocations, live_bytes_, peak_bytes_, allocations, deallocations};
}

DirectResource::DirectResource(backend::MemorySpace& space, MemoryKind kind, backend::MemoryFlags flags) noexcept
    : space_(space), kind_(kind), flags_(flags) {}
DirectResource::~DirectResource() = default;
void DirectResource::trim() {
  if (!flags_.direct) space_.trim();
}

void* DirectResource::do_allocate(std::size_t bytes, backend::NativeStream stream) {
  return space_.allocate(kind_, bytes, flags_, stream);
}
void DirectResource::do_deallocate(void* address, std::size_t bytes, backend::NativeStream stream) {
  space_.deallocate(kind_, address, bytes, stream);
}

}  // namespace ferry::inline v0
