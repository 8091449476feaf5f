// Group C: empty arrays, arrays of rank 0, and who frees what.
#include "values.hpp"

namespace ferry::test {
namespace {

TEST(FieldCases, C024_EmptyCopiesIgnoreStrides) {
  const auto array = device_array<float>({0}, {.device = device()});
  EXPECT_EQ(array.strides(), (Strides{4}));
  const auto host = host_view<float>(nullptr, {0}, {0});
  EXPECT_EQ(host.strides(), (Strides{0}));
  array.copy_to_host(host);
  array.copy_to_device(host);
  EXPECT_FALSE(array.copy_to_host(device().default_stream()).get().data());
  EXPECT_TRUE(array.copy_to_device(host, device().default_stream()).ready());
}

TEST(FieldCases, C024_EmptyRowsIgnoreStrides) {
  const auto array = wrap<float>(nullptr, {0, 3}, {7, -1'000'000}, device());
  const auto host = host_view<float>(nullptr, {0, 3}, {0, 4});
  array.copy_to_host(host);
  array.copy_to_device(host);
  array.copy_to_device(device_array<float>({0, 3}, {.device = device()}));
  array.assign(full<float>({1, 3}, 1.0F, {.device = device()}));
  array.fill(1.0F);
  EXPECT_EQ(array.copy().shape(), (Shape{0, 3}));
  EXPECT_EQ(array.copy_to_host().shape(), (Shape{0, 3}));
}

TEST(FieldCases, C024_EmptyMismatchesAreStillErrors) {
  const auto array = device_array<float>({0, 3}, {.device = device()});
  EXPECT_THROW(array.copy_to_host(host_array<float>({0})), ShapeError);
  EXPECT_THROW(array.copy_to_host(host_array<float>({3, 0})), ShapeError);
  EXPECT_THROW(array.copy_to_device(host_array<float>({0, 4})), ShapeError);
  EXPECT_THROW(array.copy_to_device(device_array<float>({1, 3}, {.device = device()})), ShapeError);
  EXPECT_THROW(array.assign(host_array<float>({0, 4})), ShapeError);
}

TEST(FieldCases, C026_EmptyForeignMemoryAtNull) {
  for (const Shape& shape : {Shape{0}, Shape{4, 0}}) {
    const auto array = wrap<std::int64_t>(nullptr, shape, {}, device());
    EXPECT_EQ(array.shape(), shape);
    EXPECT_EQ(array.size(), 0);
    EXPECT_EQ(array.data(), nullptr);
    EXPECT_EQ(array.device(), device());
    EXPECT_EQ(array.copy_to_host().shape(), shape);
    EXPECT_EQ(array.copy().shape(), shape);
    EXPECT_EQ(array.ravel().shape(), (Shape{0}));
    EXPECT_EQ(array.transpose().copy_to_host().size(), 0);
  }
}

TEST(FieldCases, C026_NullIsOnlyForEmptyArrays) {
  EXPECT_THROW(wrap<std::int64_t>(nullptr, {1}, {}, device()), LifetimeError);
  EXPECT_THROW(wrap<std::int64_t>(nullptr, {}, {}, device()), LifetimeError);
  EXPECT_THROW(host_view<std::int64_t>(nullptr, {2, 2}), LifetimeError);
}

TEST(FieldCases, C027_RankZeroStaysRankZero) {
  const auto array = to_device(3.5, {.device = device()});
  EXPECT_EQ(array.shape(), Shape());
  EXPECT_EQ(array.strides(), Strides());
  EXPECT_EQ(array.size(), 1);
  EXPECT_EQ(array.nbytes(), 8);
  EXPECT_EQ(array.item(), 3.5);
  const auto host = array.copy_to_host();
  EXPECT_EQ(host.shape(), Shape());
  EXPECT_EQ(host(), 3.5);
  const auto flat = array.ravel(Order::C, Copy::never);
  EXPECT_EQ(flat.shape(), (Shape{1}));
  const auto matrix = array.reshape({1, 1}, Order::C, Copy::never);
  EXPECT_EQ(matrix.shape(), (Shape{1, 1}));
  EXPECT_TRUE(starts_at(matrix, array));
  const auto back = matrix.reshape(Shape(), Order::C, Copy::never);
  EXPECT_EQ(back.shape(), Shape());
  EXPECT_TRUE(starts_at(back, array));
  EXPECT_EQ(back.item(), 3.5);
}

TEST(FieldCases, C027_RankZeroInEveryCall) {
  const auto array = to_device(3.5, {.device = device()});
  EXPECT_EQ(array.copy().shape(), Shape());
  EXPECT_EQ(array.view().shape(), Shape());
  EXPECT_EQ(array(ellipsis).shape(), Shape());
  EXPECT_EQ(array(newaxis).shape(), (Shape{1}));
  EXPECT_EQ(array.transpose().shape(), Shape());
  EXPECT_EQ(array.squeeze().shape(), Shape());
  EXPECT_EQ(values(array.broadcast_to({3})), (std::vector<double>{3.5, 3.5, 3.5}));
  EXPECT_EQ(device_array_like(array).shape(), Shape());
  EXPECT_TRUE(array.is_c_contiguous());
  EXPECT_TRUE(array.is_f_contiguous());
  array.fill(4.5);
  EXPECT_EQ(array.item(), 4.5);
  // An element picked out of an array is rank 0 as well.
  EXPECT_EQ(iota<double>({2, 2})(1, 1).shape(), Shape());
  EXPECT_EQ(iota<double>({2, 2})(1, 1).item(), 3.0);
  EXPECT_THROW(array(0), IndexError);
  EXPECT_THROW(array.split(1), ShapeError);
}

TEST(FieldCases, C029_CanonicalStridesOfEmptyShapes) {
  const auto strides = [](const Shape& shape) { return device_array<float>(shape, {.device = device()}).strides(); };
  EXPECT_EQ(strides({0, 2048}), (Strides{8192, 4}));
  EXPECT_EQ(strides({3, 0, 2}), (Strides{8, 8, 4}));
  EXPECT_EQ(strides({0}), (Strides{4}));
  EXPECT_EQ(device_array<float>({3, 0, 2}, {.order = Order::F, .device = device()}).strides(), (Strides{4, 12, 12}));
}

TEST(FieldCases, C029_TheSameRuleWhereverAnArrayIsMade) {
  const auto odd = host_view<float>(nullptr, {3, 0, 2}, {-1, 5, 1'000});
  EXPECT_EQ(to_device(odd, {.order = Order::C, .device = device()}).strides(), (Strides{8, 8, 4}));
  const auto array = device_array<float>({3, 0, 2}, {.device = device()});
  EXPECT_EQ(array.copy().strides(), (Strides{8, 8, 4}));
  EXPECT_EQ(array.copy_to_host().strides(), (Strides{8, 8, 4}));
  EXPECT_EQ(device_array_like(array).strides(), (Strides{8, 8, 4}));
  EXPECT_EQ(zeros<float>({3, 0, 2}, {.device = device()}).strides(), (Strides{8, 8, 4}));
  EXPECT_EQ(array.reshape({0, 2048}).strides(), (Strides{8192, 4}));
  EXPECT_TRUE(array.is_c_contiguous());
  EXPECT_TRUE(wrap<float>(nullptr, {3, 0, 2}, {-1, 5, 1'000}, device()).is_c_contiguous());
}

// Counts as a user's own resource would.
class CountingResource final : public MemoryResource {
 public:
  int allocations = 0, deallocations = 0;

 private:
  void* do_allocate(std::size_t bytes, backend::NativeStream stream) override {
    ++allocations;
    return device().space().allocate(MemoryKind::device, bytes, {}, stream);
  }
  void do_deallocate(void* address, std::size_t bytes, backend::NativeStream stream) override {
    ++deallocations;
    device().space().deallocate(MemoryKind::device, address, bytes, stream);
  }
};

TEST(FieldCases, C030_WhatWasNotAllocatedIsNotFreed) {
  CountingResource resource;
  const Alloc alloc{.device = device(), .resource = &resource};
  {
    const NDArray<float> nothing;
    const auto empty = device_array<float>({0, 5}, alloc);
    const auto empty_view = empty.transpose();
  }
  EXPECT_EQ(resource.allocations, 0);
  EXPECT_EQ(resource.deallocations, 0);
  {
    NDArray<float> first = device_array<float>({4}, alloc);
    const NDArray<float> second = std::move(first);
    EXPECT_EQ(second.size(), 4);
  }
  EXPECT_EQ(resource.allocations, 1);
  EXPECT_EQ(resource.deallocations, 1);
}

TEST(FieldCases, C030_FreedOnceByTheLastHandle) {
  CountingResource resource;
  const Alloc alloc{.device = device(), .resource = &resource};
  {
    NDArray<float> view;
    {
      const auto array = device_array<float>({4}, alloc);
      view = array(slice(1, 3));
      auto parts = array.split(1);
      parts.clear();
    }
    EXPECT_EQ(resource.deallocations, 0);
    view = NDArray<float>();
    EXPECT_EQ(resource.deallocations, 1);
    NDArray<float> replaced = device_array<float>({4}, alloc);
    replaced = device_array<float>({2}, alloc);
    NDArray<float>& same = replaced;
    replaced = same;
    EXPECT_EQ(resource.deallocations, 2);
  }
  EXPECT_EQ(resource.allocations, 3);
  EXPECT_EQ(resource.deallocations, 3);
  EXPECT_EQ(resource.stats().live_blocks, 0u);
  EXPECT_EQ(resource.stats().live_bytes, 0u);
}

TEST(FieldCases, C030_MovedFromAndDefaultArraysAreEmpty) {
  NDArray<float> array = iota<float>({4});
  const NDArray<float> moved = std::move(array);
  EXPECT_EQ(values(moved), (std::vector<float>{0, 1, 2, 3}));
  const NDArray<float> nothing;
  EXPECT_EQ(nothing.shape(), (Shape{0}));
  EXPECT_EQ(nothing.data(), nullptr);
  EXPECT_EQ(nothing.copy_to_host().size(), 0);
}

}  // namespace
}  // namespace ferry::test
