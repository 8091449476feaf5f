// The C++ half of the exchange with NumPy. Reads lines "COMMAND INPUT OUTPUT" from standard input, does what each says,
// and answers "ok" or the error. COMMAND is a comma-separated list of steps on the array read from INPUT, which is then
// written to OUTPUT:
//   copy          nothing
//   map           (as the first step) maps INPUT instead of reading it
//   transpose     all axes reversed
//   reverse       every axis backwards
//   step          every second element of every axis
//   field:N       the N-th field of the records
//   native        into this machine's byte order
//   device        to the device and back
//   astype:NAME   converted to the dtype NAME
#include <ferry/ferry.hpp>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace ferry;

const DType& type_named(const std::string& name) {
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
  return types.at(name);
}

AnyArray take(const std::string& step, const AnyArray& array) {
  const std::size_t colon = step.find(':');
  const std::string argument = colon == std::string::npos ? "" : step.substr(colon + 1);
  if (step == "copy") return array;
  if (step == "transpose") return array.transpose();
  if (step == "native") return array.to_native();
  if (step == "device") return to_device(array, {.order = Order::F}).copy_to_host();
  if (step.rfind("field:", 0) == 0) return array.field(array.dtype().fields().at(std::stoul(argument)).name);
  if (step.rfind("astype:", 0) == 0) return array.astype(type_named(argument));
  AnyArray result = array;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    if (step == "reverse")
      result = result.flip(static_cast<index_t>(axis));
    else if (step == "step") {
      // One axis after the other: first to the front, indexed, and then to the back, until all have had their turn.
      result = result(slice(none, none, 2));
      Axes next = Axes::uninitialised(array.ndim());
      for (std::size_t k = 0; k < next.size(); ++k) next[k] = static_cast<index_t>((k + 1) % next.size());
      result = result.permute(next);
    } else
      throw Error("unknown step " + step);
  }
  return result;
}

void perform(const std::string& command, const std::string& input, const std::string& output) {
  std::istringstream steps(command);
  AnyArray array;
  bool first = true;
  for (std::string step; std::getline(steps, step, ','); first = false) {
    if (first) array = step == "map" ? map_npy(input) : load_npy(input);
    if (step != "map") array = take(step, array);
  }
  save_npy(output, array);
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
