// The C++ half of the exchange with NumPy. Reads lines "COMMAND INPUT OUTPUT" from standard input, does what each says,
// and answers "ok" or the error. COMMAND is a comma-separated list of steps on the array read from INPUT, which is then
// written to OUTPUT:
//   copy          nothing
//   transpose     all axes reversed
//   reverse       every axis backwards
//   step          every second element of every axis
//   device        to the device and back
//   astype:NAME   converted to the dtype NAME
#include <algorithm>
#include <ferry/ferry.hpp>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace ferry;

/// An array whose element type is known at run time only, which is all that the exchange needs of one.
struct Untyped {
  DType dtype;
  Layout layout;
  std::vector<std::byte> memory;
};

// NumPy compares values, so what was read must be written as native: this mirrors what read_into has done.
DType native(const DType& dtype) {
  if (!dtype.is_record()) {
    return dtype.is_swapped() ? DType::scalar(dtype.kind(), dtype.itemsize()) : dtype;
  }
  std::vector<Field> fields = dtype.fields();
  for (Field& field : fields) field.dtype = native(field.dtype);
  return DType::record(fields, dtype.itemsize(), dtype.alignment());
}

Untyped read(const std::string& path) {
  NpyReader reader(path);
  const NpyHeader& header = reader.header();
  Untyped array{native(header.dtype), Layout::contiguous(header.shape, header.dtype.itemsize(), header.order), {}};
  array.memory.resize(static_cast<std::size_t>(array.layout.nbytes()));
  reader.read_into(array.memory.data(), array.layout);
  return array;
}

void step_through(Untyped& array) {
  std::vector<IndexEntry> entries(array.layout.ndim(), slice(none, none, 2));
  array.layout = layouts::index(array.layout, entries.data(), entries.size());
}

// Through NDArray<T> for an element of the same size: what travels are bytes.
template <std::size_t Bytes>
struct Opaque {
  std::byte bytes[Bytes];
};
template <std::size_t Bytes>
void through_device(Untyped& array) {
  using T = Opaque<Bytes>;
  const auto view = host_view(reinterpret_cast<T*>(array.memory.data() + array.layout.offset()), array.layout.shape(),
                              array.layout.strides());
  const HostArray<T> back = to_device(view, {.order = Order::F}).copy_to_host();
  std::vector<std::byte> memory(static_cast<std::size_t>(back.nbytes()));
  if (!memory.empty()) std::copy_n(back.handle().base, memory.size(), memory.begin());
  array.memory = std::move(memory);
  array.layout = back.layout();
}
void through_device(Untyped& array) {
  switch (array.dtype.itemsize()) {
    case 1:
      return through_device<1>(array);
    case 2:
      return through_device<2>(array);
    case 4:
      return through_device<4>(array);
    case 8:
      return through_device<8>(array);
    case 16:
      return through_device<16>(array);
    default:
      return;  // the sizes of records are the property suite's matter
  }
}

void convert(Untyped& array, const std::string& name) {
  static const std::map<std::string, DType> types = {{"bool", dtype_of<bool>()},
                                                     {"int8", dtype_of<std::int8_t>()},
                                                     {"int16", dtype_of<std::int16_t>()},
                                                     {"int32", dtype_of<std::int32_t>()},
                                                     {"int64", dtype_of<std::int64_t>()},
                                                     {"uint8", dtype_of<std::uint8_t>()},
                                                     {"uint16", dtype_of<std::uint16_t>()},
                                                     {"uint32", dtype_of<std::uint32_t>()},
                                                     {"uint64", dtype_of<std::uint64_t>()},
                                                     {"float16", DType::scalar(Kind::floating, 2)},
                                                     {"float32", dtype_of<float>()},
                                                     {"float64", dtype_of<double>()},
                                                     {"longdouble", dtype_of<long double>()},
                                                     {"complex64", DType::scalar(Kind::complex, 8)},
                                                     {"complex128", DType::scalar(Kind::complex, 16)}};
  const DType& to = types.at(name);
  std::vector<std::byte> keep = array.memory;  // the operand, while the result takes its place
  const detail::ArrayHandle result =
      detail::convert_elements(detail::borrow_host(keep.data(), array.layout), array.dtype, to, Order::K, {});
  array.dtype = to;
  array.layout = result.layout;
  array.memory.assign(result.base, result.base + result.layout.nbytes());
}

void perform(const std::string& command, const std::string& input, const std::string& output) {
  Untyped array = read(input);
  std::istringstream steps(command);
  for (std::string step; std::getline(steps, step, ',');) {
    if (step == "copy") continue;
    if (step == "transpose")
      array.layout = layouts::transpose(array.layout);
    else if (step == "reverse") {
      for (std::size_t axis = 0; axis < array.layout.ndim(); ++axis) {
        array.layout = layouts::flip(array.layout, static_cast<index_t>(axis));
      }
    } else if (step == "step")
      step_through(array);
    else if (step == "device")
      through_device(array);
    else if (step.rfind("astype:", 0) == 0)
      convert(array, step.substr(7));
    else
      throw Error("unknown step " + step);
  }
  write_npy(output, array.dtype, array.memory.data(), array.layout);
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command, input, output;
    words >> command >> input >> output;
    try {
      perform(command, input, output);
      std::cout << "ok\n";
    } catch (const std::exception& error) {
      std::cout << error.what() << "\n";
    }
  }
}
