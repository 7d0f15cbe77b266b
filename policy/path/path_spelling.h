#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>

namespace bartizan {

/// Whether programs read a path in different ways, escapes and backslashes aside: NUL and control
/// characters, a URL scheme or drive, `%u002e`, blanks, quotes, `~` or `$` where programs take
/// something off or put something in, names of dots alone or followed by `;` that some climb with,
/// names over 255 bytes, paths over 4096, invalid UTF-8, text that is not NFC, invisible characters
/// other than joiners, and look-alikes of dots and separators.
///
/// Cost: linear; no memory.
bool is_ambiguous_path(std::string_view path);

/// Whether a text has none of the letters for which paths are refused: look-alikes of dots and
/// separators, invisible characters other than joiners, what is not NFC, and invalid UTF-8.
///
/// Cost: linear; ASCII only is looked through.
bool is_plain_unicode(std::string_view text);

/// What a round of percent-decoding made of a path.
enum class Decoded : std::uint8_t {
  nothing,  ///< It has no escapes.
  plain,
  odd,  ///< Some escape stood for a dot or a backslash, which no name needs.
};

/// One round of percent-decoding, in place. Source: RFC 3986 §2.1.
Decoded decode_escapes(std::pmr::string& path);

}  // namespace bartizan
