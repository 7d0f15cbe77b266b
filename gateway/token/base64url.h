#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Decodes base64url. Each content has one text. Nothing for padding, blanks, bytes outside of the
/// alphabet, an impossible length, or final bits that are not zero.
///
/// The result has capacity after its end, so that `Bytes` takes it without a copy.
/// Source: RFC 4648 §3.5, §5; RFC 7515 §2.
std::optional<std::string> decode_base64url(std::string_view text);

/// Bytes as base64url, without padding. Source: RFC 4648 §5; RFC 7515 §2.
std::string encode_base64url(std::string_view bytes);

}  // namespace bartizan
