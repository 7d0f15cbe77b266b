#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// What the whole groups of a base64 or base64url text stand for; bytes of neither alphabet end it.
std::string decode_base64_prefix(std::string_view text);

/// What the whole groups of a base64 or base64url text in several lines stand for: ends of lines
/// are passed over; other bytes of neither alphabet end it.
std::string decode_base64_lines(std::string_view text);

}  // namespace bartizan
