// Expects an error of one type whose text names what a user must know.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ferry::test {

/// Runs `call` and expects an E whose text has all `words`.
template <class E, class F>
void expect_error(F&& call, const std::vector<std::string>& words) {
  try {
    call();
  } catch (const E& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("ferry: ", 0), 0u) << text;
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
    return;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
    return;
  }
  ADD_FAILURE() << "no error";
}

}  // namespace ferry::test
