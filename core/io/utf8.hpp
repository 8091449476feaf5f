// UTF-8, in which Ferry keeps the names of fields.
#pragma once

#include <string>
#include <string_view>

namespace ferry::inline v0::io {

bool is_ascii(std::string_view text) noexcept;
/// Whether the text is well-formed: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text) noexcept;
/// The number of code points in well-formed text.
std::size_t count_characters(std::string_view text) noexcept;
std::string utf8_from_latin1(std::string_view text);
/// Appends a code point. Returns false for what is none: surrogates, and anything above U+10FFFF.
bool append_utf8(std::string& text, char32_t code);

}  // namespace ferry::inline v0::io
