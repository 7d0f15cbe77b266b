#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// What a base64url text stands for. One text for each content: nothing for padding, blanks, bytes
/// outside of the alphabet, a length that no content has, and bits at the end that are not zero.
///
/// The answer has room behind it for `Bytes` to take it without a copy.
/// Source: RFC 4648 §3.5, §5; RFC 7515 §2.
std::optional<std::string> decode_base64url(std::string_view text);

/// Bytes as base64url, without padding. Source: RFC 4648 §5; RFC 7515 §2.
std::string encode_base64url(std::string_view bytes);

}  // namespace bartizan
