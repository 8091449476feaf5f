// A C library through which Python reaches Ferry arrays, and Ferry Python's: the fields of the CUDA array interface.
#include <cstdint>
#include <ferry/ferry.hpp>
#include <vector>

namespace {

using namespace ferry;

/// The interface's fields for two axes of float32; strides in bytes. `stream` is 1 for the legacy default stream, 2 for
/// the per-thread one, else a handle.
struct Fields {
  void* data;
  std::int64_t shape[2], strides[2];
  std::uintptr_t stream;
};

std::vector<NDArray<float>>& arrays() {
  static std::vector<NDArray<float>> all;
  return all;
}
Stream& stream() {
  static Stream one(Device("cuda:0"), {.non_blocking = true});
  return one;
}

Fields describe(const NDArray<float>& array) {
  Fields fields{
      array.data(), {}, {}, reinterpret_cast<std::uintptr_t>(array.stream() ? array.stream().native() : nullptr)};
  if (fields.stream == 0) fields.stream = 1;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    fields.shape[axis] = array.shape()[axis];
    fields.strides[axis] = array.strides()[axis];
  }
  return fields;
}

double sum_of(const NDArray<float>& array) {
  double sum = 0;
  const HostArray<float> host = array.copy_to_host();
  for (index_t i = 0; i < host.shape()[0]; ++i) {
    for (index_t j = 0; j < host.shape()[1]; ++j) sum += host(i, j) * static_cast<double>(1 + i * 7 + j * 13);
  }
  return sum;
}

}  // namespace

extern "C" {

/// A Ferry array that holds 0, 1, 2, …, on a stream of Ferry's own when asked; its number is its place in a list.
FERRY_EXPORT Fields ferry_make(std::int64_t rows, std::int64_t columns, int transposed, int own_stream) {
  const auto values = arange<float>(rows * columns).reshape({rows, columns});
  NDArray<float> array =
      own_stream != 0 ? to_device(values, {.stream = stream()}) : to_device(values, {.device = Device("cuda:0")});
  if (transposed != 0) array = array.transpose();
  arrays().push_back(array);
  return describe(array);
}

/// A sum over the last array made that knows each element's place.
FERRY_EXPORT double ferry_weighted_sum() {
  return sum_of(arrays().back());
}

/// Takes somebody else's array: reverses its rows in place, by Ferry, on the stream that it came with, and returns the
/// weighted sum.
FERRY_EXPORT double ferry_reverse_rows(const Fields* fields) {
  const Device device("cuda:0");
  auto* const native = fields->stream == 1 ? nullptr : reinterpret_cast<void*>(fields->stream);
  const NDArray<float> array = wrap(static_cast<float*>(fields->data), {fields->shape[0], fields->shape[1]},
                                    {fields->strides[0], fields->strides[1]}, device)
                                   .bind(Stream::wrap(device, native));
  array.assign(array.flip(0));
  return sum_of(array);
}

FERRY_EXPORT void ferry_forget() {
  arrays().clear();
}
}
