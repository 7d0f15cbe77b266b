#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bartizan {

namespace limits {
/// Bytes of one text on a page; longer texts are cut.
inline constexpr std::size_t shown_text_bytes_max = std::size_t{4} << 10;
}  // namespace limits

/// HTML that shows a text of a client or server as plain text. Markup is escaped. Invisible
/// characters are written as `[U+200B]`, and bytes that are not UTF-8 as `[byte FF]`. These marks
/// are styled, so no text can imitate them. The text's direction does not affect its surroundings.
///
/// Input:  any bytes. Those beyond `bytes_max` are left out, and their number is shown.
/// Output: for an element's content; not for an attribute.
/// Cost:   linear in the shown bytes.
std::string shown_text(std::string_view text, std::size_t bytes_max = limits::shown_text_bytes_max);

/// Escapes the gateway's own text, or a checked name, for HTML content and quoted attributes.
std::string escaped_html(std::string_view text);

}  // namespace bartizan
