// expect: (discards qualifiers|no viable overloaded)
#include "ferry/ferry.hpp"

void set_column(const ferry::NDArray<float>& array, const ferry::NDArray<float>& column) {
  array(ferry::slice(), 0) = column;  // would rebind the temporary, and write nothing
}
