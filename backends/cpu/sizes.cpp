#include "backends/cpu/sizes.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "ferry/error.hpp"

namespace ferry::inline v0::backend::cpu {

std::size_t machine_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

std::size_t bytes_from_environment(const char* variable, std::size_t fallback) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return fallback;
  const char* end = text + std::strlen(text);
  std::size_t value = 0;
  const auto [suffix, error] = std::from_chars(text, end, value);
  const std::string_view unit(suffix, static_cast<std::size_t>(end - suffix));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (error != std::errc() || shift < 0 || value > SIZE_MAX >> shift) {
    throw Error("ferry: " + std::string(variable) + " is '" + text + "'; write bytes, or a number with K, M or G");
  }
  return value << shift;
}

}  // namespace ferry::inline v0::backend::cpu
