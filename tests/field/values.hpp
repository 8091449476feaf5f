// What the field cases share: arrays on the device under test, and their values as plain vectors.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "ferry/ferry.hpp"
#include "support/test_device.hpp"

namespace ferry::test {

/// 0, 1, 2, … in C order, on the device under test.
template <class T>
NDArray<T> iota(const Shape& shape) {
  const auto host = arange<T>(Layout::contiguous(shape, sizeof(T)).size()).reshape(shape);
  return to_device(host, {.device = device()});
}

/// The elements in C order. The device under test may have memory that the host cannot touch, so this is a copy.
template <class T>
std::vector<std::remove_const_t<T>> values(const NDArray<T>& array) {
  const auto host = array.copy_to_host();
  return {host.begin(), host.end()};
}
template <class T>
std::vector<std::remove_const_t<T>> values(const HostArray<T>& array) {
  return {array.begin(), array.end()};
}

template <class T>
std::vector<std::vector<std::remove_const_t<T>>> values(const std::vector<NDArray<T>>& arrays) {
  std::vector<std::vector<std::remove_const_t<T>>> all;
  for (const NDArray<T>& array : arrays) all.push_back(values(array));
  return all;
}

/// Whether a view lies in another array's memory, and starts where that one does.
template <class T, class U>
bool starts_at(const NDArray<T>& view, const NDArray<U>& array, index_t bytes = 0) {
  return view.handle().memory == array.handle().memory && view.handle().data() == array.handle().data() + bytes;
}

}  // namespace ferry::test
