// expect: elements must be trivially copyable
#include <string>

#include "ferry/ferry.hpp"

ferry::NDArray<std::string> words;
