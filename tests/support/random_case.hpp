// Random cases that can be replayed: each has a seed of its own, and a failure says how to run it alone.
//   FERRY_SEED   base seed (a fixed one by default, so that a run can be repeated)
//   FERRY_CASES  a factor on the number of cases: 10 runs ten times as many, 0.1 a tenth
//   FERRY_CASE   runs only this case
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <ferry/config.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/reference_array.hpp"

namespace ferry::test {

/// A small generator (splitmix64) whose sequence is the same on every machine, unlike the standard's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  /// From `low` to `high`, both included.
  index_t between(index_t low, index_t high) {
    return low + static_cast<index_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  index_t below(index_t n) { return between(0, n - 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<index_t>(from.size())))];
  }
  /// 0 to n-1, shuffled.
  List permutation(std::size_t n);
  Bytes bytes(std::size_t n);

 private:
  std::uint64_t state_;
};

/// The cases of the running test, and how to say which one failed.
class Cases {
 public:
  explicit Cases(std::uint64_t count);

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  std::uint64_t seed_of(std::uint64_t number) const;
  /// "replay: FERRY_SEED=1 FERRY_CASE=17 --gtest_filter=Suite.Name"
  std::string replay(std::uint64_t number) const;

 private:
  std::uint64_t base_, begin_, end_;
  std::string name_;
};

/// Remembers a text to print should the process die: a sanitizer ends it without unwinding.
class LastWords {
 public:
  explicit LastWords(std::string text);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  std::string text_;
};

/// Runs body(random) for each case, and stops at the first that fails.
template <class Body>
void for_each_case(std::uint64_t count, const Body& body) {
  const Cases cases(count);
  for (std::uint64_t number = cases.begin(); number < cases.end(); ++number) {
    const std::string replay = cases.replay(number);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, replay);
    const LastWords last_words(replay);
    Random random(cases.seed_of(number));
    try {
      body(random);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "threw: " << error.what();
    } catch (const Refusal&) {
      ADD_FAILURE() << "the model refused what the case took for valid";
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace ferry::test
