#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bartizan {

/// Parts of a URL, each with characters of its own that it must percent-encode.
enum class UrlPart : std::uint8_t {
  opaque,  ///< A host or a path that only its scheme understands.
  fragment,
  query,
  special_query,  ///< The query of `http` and its like.
  path,
  userinfo,
};

/// Appends a text as that part spells it; what is encoded already stays as it is.
/// Source: WHATWG URL §1.3, "UTF-8 percent-encode".
void append_encoded(std::string& out, std::string_view text, UrlPart part);

/// The bytes that a text stands for; a percent sign without two digits stands for itself.
/// Source: WHATWG URL §1.3, "percent-decode".
std::string percent_decoded(std::string_view text);

}  // namespace bartizan
