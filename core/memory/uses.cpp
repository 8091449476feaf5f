#include "ferry/uses.hpp"

#include <vector>

#include "ferry/error.hpp"

namespace ferry::inline v0::detail {

void note_uses(const Stream& stream, const ArrayHandle* const* arrays, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) note_use(*arrays[i], stream);
}

void run_declared(const Stream& stream, Task task, const ArrayHandle* const* reads, std::size_t read_count,
                  const ArrayHandle* const* writes, std::size_t write_count) {
  std::vector<backend::MemoryUse> uses;
  const auto add = [&uses](const ArrayHandle* const* arrays, std::size_t count, bool written) {
    for (std::size_t i = 0; i < count; ++i) {
      const Layout& layout = arrays[i]->layout;
      uses.push_back({arrays[i]->data(), layout.itemsize(), layout.shape(), layout.strides(), written});
    }
  };
  add(reads, read_count, false);
  add(writes, write_count, true);
  note_uses(stream, reads, read_count);
  note_uses(stream, writes, write_count);
  stream.device().space().run_declared(std::move(task), uses.data(), uses.size(), stream.native());
}

}  // namespace ferry::inline v0::detail
