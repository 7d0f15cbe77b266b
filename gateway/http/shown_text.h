#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bartizan {

namespace limits {
/// Bytes of one text that a page shows; longer ones are cut.
inline constexpr std::size_t shown_text_bytes_max = std::size_t{4} << 10;
}  // namespace limits

/// HTML that shows a text that a client or server worded, as text and nothing else: what HTML reads
/// as markup is escaped, and what nobody would see stands there to be read: `[U+200B]`, or
/// `[byte FF]` of what is no UTF-8, marked so that no text passes for such a mark. Its direction
/// changes nothing around it.
///
/// Input:  any bytes. Those beyond `bytes_max` are left out, and their number is told.
/// Output: for an element's content; not for an attribute.
/// Cost:   linear in what is shown.
std::string shown_text(std::string_view text, std::size_t bytes_max = limits::shown_text_bytes_max);

/// Text of our own, or a name that was checked, as HTML has it: in content, and in an attribute
/// between quotes.
std::string escaped_html(std::string_view text);

}  // namespace bartizan
