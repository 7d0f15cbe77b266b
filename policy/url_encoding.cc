#include "policy/url_encoding.h"

#include <cstddef>

#include "policy/percent.h"

namespace bartizan {
namespace {

/// What a part encodes beside controls and everything outside of ASCII.
std::string_view encoded_characters(UrlPart part) {
  switch (part) {
    case UrlPart::opaque:
      return "";
    case UrlPart::fragment:
      return " \"<>`";
    case UrlPart::query:
      return " \"#<>";
    case UrlPart::special_query:
      return " \"#<>'";
    case UrlPart::path:
      return " \"#<>?^`{}";
    case UrlPart::userinfo:
      return " \"#<>?^`{}/:;=@[\\]|";
  }
  return "";
}

void append_escape(std::string& out, unsigned char byte) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  out += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
}

}  // namespace

void append_encoded(std::string& out, std::string_view text, UrlPart part) {
  const std::string_view encoded = encoded_characters(part);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || encoded.contains(c)) {
      append_escape(out, byte);
    } else {
      out += c;
    }
  }
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '%' ? escaped_byte(text, i) : std::nullopt;
    out += byte ? static_cast<char>(*byte) : text[i];
    if (byte) i += 2;
  }
  return out;
}

}  // namespace bartizan
