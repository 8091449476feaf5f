#include "backends/sim/sim_report.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace ferry::inline v0::backend::sim {

namespace {

// "name + 12", or the file and the offset in it, for addr2line. No addresses: they differ from run to run.
std::string describe_frame(void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "?";
  const auto distance = [address](const void* from) {
    char text[32];
    std::snprintf(
        text, sizeof text, "+0x%zx",
        static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(from)));
    return std::string(text);
  };
  if (info.dli_sname == nullptr) return std::string(info.dli_fname) + distance(info.dli_fbase);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status),
                                                         &std::free);
  return (status == 0 ? std::string(name.get()) : std::string(info.dli_sname)) + distance(info.dli_saddr);
}

}  // namespace

void report_bug(const std::string& text) noexcept {
  std::fflush(stdout);
  std::fprintf(stderr, "ferry: sim: %s\n", text.c_str());
  void* frames[24];
  const int count = ::backtrace(frames, 24);
  std::fprintf(stderr, "  called from\n");
  for (int i = 1; i < count; ++i) std::fprintf(stderr, "    %s\n", describe_frame(frames[i]).c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace ferry::inline v0::backend::sim
