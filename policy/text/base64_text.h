#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// Decodes the whole groups of a base64 or base64url text. A byte outside of both alphabets ends
/// it.
std::string decode_base64_prefix(std::string_view text);

/// Decodes the whole groups of a base64 or base64url text in several lines. Line ends are skipped.
/// Another byte outside of both alphabets ends it.
std::string decode_base64_lines(std::string_view text);

}  // namespace bartizan
