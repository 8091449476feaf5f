#include "support/random_case.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "support/test_device.hpp"

// Where a sanitizer is linked in, it calls this on its way to end the process.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace ferry::test {

namespace {

const std::string* last_words = nullptr;

void speak() {
  if (last_words == nullptr) return;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, last_words->data(), last_words->size());
}

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

std::string test_name() {
  const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
  return std::string(info->test_suite_name()) + "." + info->name();
}

}  // namespace

std::uint64_t Random::next() {
  return mix(state_ += 0x9E3779B97F4A7C15u);
}

List Random::permutation(std::size_t n) {
  List order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<index_t>(i);
  for (std::size_t i = n; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(below(static_cast<index_t>(i)))]);
  }
  return order;
}

Bytes Random::bytes(std::size_t n) {
  Bytes result(n);
  for (unsigned char& byte : result) byte = static_cast<unsigned char>(next());
  return result;
}

Cases::Cases(std::uint64_t count) : base_(20240607), begin_(0), end_(count), name_(test_name()) {
  if (const char* seed = environment("FERRY_SEED")) base_ = std::strtoull(seed, nullptr, 10);
  if (const char* factor = environment("FERRY_CASES")) {
    end_ = static_cast<std::uint64_t>(std::ceil(static_cast<double>(count) * std::strtod(factor, nullptr)));
  }
  if (const char* only = environment("FERRY_CASE")) {
    begin_ = std::strtoull(only, nullptr, 10);
    end_ = begin_ + 1;
  }
}

std::uint64_t Cases::seed_of(std::uint64_t number) const {
  // The test's name takes part, so that the tests of different element types do not all run the same shapes.
  std::uint64_t name = 0;
  for (const char c : name_) name = mix(name + static_cast<unsigned char>(c) + 1);
  return mix(mix(base_ + 1) + mix(number + 1) * 3 + name);
}

std::string Cases::replay(std::uint64_t number) const {
  return "replay: FERRY_TEST_DEVICE=" + device_name() + " FERRY_SEED=" + std::to_string(base_) +
         " FERRY_CASE=" + std::to_string(number) + " --gtest_filter=" + name_ + "\n";
}

LastWords::LastWords(std::string text) : text_(std::move(text)) {
  static const bool installed = [] {
    if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(speak);
    return true;
  }();
  static_cast<void>(installed);
  last_words = &text_;
}
LastWords::~LastWords() {
  last_words = nullptr;
}

}  // namespace ferry::test
