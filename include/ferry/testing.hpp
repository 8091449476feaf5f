// For tests with GoogleTest: arrays compared with a readable report, and a check that no test leaks.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ferry/compare.hpp"
#include "ferry/config.hpp"
#include "ferry/live_memory.hpp"
#include "ferry/print.hpp"

namespace ferry::inline v0 {

namespace detail {

inline std::string describe_operand(const DType& dtype, const Layout& layout) {
  return dtype.name() + " array of " + layout.to_string();
}

template <class T>
std::string element_text(const HostArray<const T>& array, const Dims& index) {
  const Layout element = Layout::contiguous({}, sizeof(T)).with_offset(array.layout().at(index.data()));
  return format_array(dtype_of<T>(), array.handle().base, element);
}

/// The elements in C order that `same` tells apart, the first few of them spelt out.
template <class T, class Same>
::testing::AssertionResult compare_elements(const HostArray<const T>& a, const HostArray<const T>& b,
                                            const Same& same) {
  constexpr index_t shown = 10;
  index_t wrong = 0;
  std::string text;
  Dims index = Dims::filled(a.ndim(), 0);
  auto other = b.begin();
  for (const T& value : a) {
    if (!same(value, *other) && ++wrong <= shown) {
      text += "\n  at " + index.to_string() + ": " + element_text(a, index) + " and " + element_text(b, index);
    }
    ++other;
    for (std::size_t axis = index.size(); axis-- > 0; index[axis] = 0) {
      if (++index[axis] < a.shape()[axis]) break;
    }
  }
  if (wrong == 0) return ::testing::AssertionSuccess();
  if (wrong > shown) text += "\n  and " + std::to_string(wrong - shown) + " more";
  return ::testing::AssertionFailure() << wrong << " of " << a.size() << " elements differ between a "
                                       << describe_operand(dtype_of<T>(), a.layout()) << " and a "
                                       << describe_operand(dtype_of<T>(), b.layout()) << ":" << text;
}

template <class A, class B, class Same>
::testing::AssertionResult compare_arrays(const A& a, const B& b, const Same& same) {
  using T = any_element_t<A>;
  const ArrayHandle left = any_handle(a), right = any_handle(b);
  const DType &left_type = dtype_of<T>(), &right_type = dtype_of<any_element_t<B>>();
  const char* what = nullptr;
  if (!(left_type == right_type)) what = "dtypes";
  if (!(left.layout.shape() == right.layout.shape())) what = what == nullptr ? "shapes" : "dtypes and shapes";
  if (what != nullptr) {
    return ::testing::AssertionFailure() << "the " << what << " differ: a " << describe_operand(left_type, left.layout)
                                         << " and a " << describe_operand(right_type, right.layout);
  }
  if constexpr (std::is_same_v<T, any_element_t<B>>) {
    return compare_elements<T>(on_host(a), on_host(b), same);
  } else {
    return ::testing::AssertionFailure() << "both are arrays of " << left_type.name() << ", but of different C++ types";
  }
}

template <class T>
bool same_element(const T& a, const T& b) {
  if constexpr (requires {
                  { a == b } -> std::convertible_to<bool>;
                }) {
    return a == b;
  } else {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

/// The memory that is in `now` beyond what was in `before`.
inline std::string grown(const std::vector<LiveMemory>& before, const std::vector<LiveMemory>& now) {
  std::string text;
  for (const LiveMemory& one : now) {
    std::size_t blocks = 0, bytes = 0;
    for (const LiveMemory& former : before) {
      if (former.label != one.label || former.kind != one.kind) continue;
      blocks = former.blocks;
      bytes = former.bytes;
    }
    if (one.blocks <= blocks) continue;
    text += "\n  " + (one.label.empty() ? "(no label)" : one.label) + ": " + std::to_string(one.blocks - blocks) +
            (one.blocks - blocks == 1 ? " block of " : " blocks of ") + std::string(to_string(one.kind)) +
            " memory more than before";
    if (one.bytes > bytes) text += ", " + std::to_string(one.bytes - bytes) + " bytes";
  }
  return text;
}

class LeakListener final : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override { before_ = live_memory(); }
  void OnTestEnd(const ::testing::TestInfo&) override {
    const std::string leaked = grown(before_, live_memory());
    EXPECT_TRUE(leaked.empty()) << "the test has left memory behind:" << leaked;
  }
  std::vector<LiveMemory> before_;
};

}  // namespace detail

/// Whether two arrays have the same element type, shape and elements, for EXPECT_TRUE and ASSERT_TRUE; a failure names
/// both sides and the first elements that differ. Arguments and waiting are those of array_equal.
template <detail::AnyOperand A, detail::AnyOperand B>
::testing::AssertionResult arrays_equal(const A& a, const B& b) {
  return detail::compare_arrays(a, b, [](const auto& x, const auto& y) { return detail::same_element(x, y); });
}

/// As arrays_equal(), with elements that may differ as allclose allows. Shapes are not broadcast.
template <detail::AnyOperand A, detail::AnyOperand B>
::testing::AssertionResult arrays_close(const A& a, const B& b, const Tolerance& tolerance = {}) {
  return detail::compare_arrays(a, b, [&](const auto& x, const auto& y) { return detail::is_close(x, y, tolerance); });
}

/// Fails the running test, at the line of the call, unless arrays_equal(a, b).
template <detail::AnyOperand A, detail::AnyOperand B>
void expect_equal(const A& a, const B& b, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (const ::testing::AssertionResult result = arrays_equal(a, b); !result)
    ADD_FAILURE_AT(file, line) << result.message();
}

/// Fails the running test, at the line of the call, unless arrays_close(a, b, tolerance).
template <detail::AnyOperand A, detail::AnyOperand B>
void expect_close(const A& a, const B& b, const Tolerance& tolerance = {}, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (const ::testing::AssertionResult result = arrays_close(a, b, tolerance); !result) {
    ADD_FAILURE_AT(file, line) << result.message();
  }
}

/// Fails each test that ends with more live memory than it began with, naming it by label, and the whole run if
/// something is left at its end: in main(), AddGlobalTestEnvironment(new ferry::LeakCheck). Arrays that a suite keeps
/// for all its tests are no leaks; make them in SetUpTestSuite and let go of them in TearDownTestSuite.
class LeakCheck final : public ::testing::Environment {
 public:
  LeakCheck() { ::testing::UnitTest::GetInstance()->listeners().Append(new detail::LeakListener); }  // which owns it
  void SetUp() override { before_ = live_memory(); }
  void TearDown() override {
    const std::string leaked = detail::grown(before_, live_memory());
    EXPECT_TRUE(leaked.empty()) << "the test program has left memory behind:" << leaked;
  }

 private:
  std::vector<LiveMemory> before_;
};

}  // namespace ferry::inline v0
