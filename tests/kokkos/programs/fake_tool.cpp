// A Kokkos Tools library that writes down what it is told, and gives it to the test.
#include <cstdint>
#include <string>
#include <vector>

namespace {
std::vector<std::string>& events() {
  static std::vector<std::string> list;
  return list;
}
}  // namespace

struct SpaceHandle {  // as in Kokkos' C interface
  char name[64];
};

extern "C" {
__attribute__((visibility("default"))) void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {}
__attribute__((visibility("default"))) void kokkosp_finalize_library() {}
__attribute__((visibility("default"))) void kokkosp_allocate_data(SpaceHandle space, const char* label, void*,
                                                                  std::uint64_t bytes) {
  events().push_back("allocate " + std::string(space.name) + " '" + label + "' " + std::to_string(bytes));
}
__attribute__((visibility("default"))) void kokkosp_deallocate_data(SpaceHandle space, const char* label, void*,
                                                                    std::uint64_t bytes) {
  events().push_back("deallocate " + std::string(space.name) + " '" + label + "' " + std::to_string(bytes));
}
__attribute__((visibility("default"))) void kokkosp_begin_deep_copy(SpaceHandle to, const char* to_label, const void*,
                                                                    SpaceHandle from, const char* from_label,
                                                                    const void*, std::uint64_t bytes) {
  events().push_back("copy " + std::string(from.name) + " '" + from_label + "' to " + to.name + " '" + to_label + "' " +
                     std::to_string(bytes));
}
__attribute__((visibility("default"))) void kokkosp_end_deep_copy() {
  events().push_back("end of copy");
}
/// The events so far, each as one line; called by the test.
__attribute__((visibility("default"))) const char* ferry_fake_tool_events() {
  static std::string text;
  text.clear();
  for (const std::string& event : events()) text += event + "\n";
  return text.c_str();
}
}
