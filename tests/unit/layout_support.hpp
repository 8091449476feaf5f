// What the tests of the layout functions share.
#pragma once

#include <gtest/gtest.h>

#include <ferry/error.hpp>
#include <ferry/layout.hpp>
#include <initializer_list>
#include <string>
#include <typeinfo>

namespace ferry::test {

inline void expect_layout(const Layout& layout, const Shape& shape, const Strides& strides, index_t offset = 0) {
  EXPECT_EQ(layout.shape(), shape) << layout.to_string();
  EXPECT_EQ(layout.strides(), strides) << layout.to_string();
  EXPECT_EQ(layout.offset(), offset);
  index_t size = 1;
  for (const index_t extent : shape) size *= extent;
  EXPECT_EQ(layout.size(), size);
  EXPECT_EQ(layout.nbytes(), size * layout.itemsize());
}

inline Layout at(const Layout& layout, std::initializer_list<IndexEntry> entries) {
  return layouts::index(layout, entries.begin(), entries.size());
}

/// The text of the error of exactly this type that `call` throws. Another type, or none, fails the test.
template <class Expected, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(typeid(error), typeid(Expected)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

/// `text` names everything in `parts`.
inline void expect_names(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << '"' << part << "\" is not in: " << text;
}

}  // namespace ferry::test
