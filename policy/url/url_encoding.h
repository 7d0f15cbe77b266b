#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bartizan {

/// Parts of a URL. Each has its own set of percent-encoded characters.
enum class UrlPart : std::uint8_t {
  opaque,  ///< A host or path of an unknown scheme.
  fragment,
  query,
  special_query,  ///< The query of `http` and other special schemes.
  path,
  userinfo,
};

/// Appends a text with the encoding of that part. Existing escapes stay unchanged.
/// Source: WHATWG URL §1.3, "UTF-8 percent-encode".
void append_encoded(std::string& out, std::string_view text, UrlPart part);

/// Decodes a text. A percent sign without two digits stays unchanged.
/// Source: WHATWG URL §1.3, "percent-decode".
std::string percent_decoded(std::string_view text);

}  // namespace bartizan
