#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>

namespace bartizan {

/// Whether programs read a path differently, escapes and backslashes aside. Such paths have one of:
///
/// - NUL and control characters, or invisible characters other than joiners;
/// - a URL scheme or drive, or `%u002e`;
/// - blanks or quotes that programs strip, `~` or `$` that programs expand;
/// - names of dots alone or followed by `;`, which can act as a step back;
/// - names over 255 bytes, or a path over 4096;
/// - invalid UTF-8, text that is not NFC, or look-alikes of dots and separators.
///
/// Cost: linear; no memory.
bool is_ambiguous_path(std::string_view path);

/// Whether a text has no characters for which paths are refused: look-alikes of dots and
/// separators, invisible characters other than joiners, text that is not NFC, or invalid UTF-8.
///
/// Cost: linear; ASCII is only scanned.
bool is_plain_unicode(std::string_view text);

/// The outcome of a round of percent-decoding of a path.
enum class Decoded : std::uint8_t {
  nothing,  ///< The path has no escapes.
  plain,
  odd,  ///< An escape stood for a dot or a backslash, which no name needs.
};

/// One round of percent-decoding, in place. Source: RFC 3986 §2.1.
Decoded decode_escapes(std::pmr::string& path);

}  // namespace bartizan
