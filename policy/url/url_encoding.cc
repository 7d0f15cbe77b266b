#include "policy/url/url_encoding.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "policy/text/percent.h"

namespace bartizan {
namespace {

/// The encoded characters of a part, in addition to controls and everything outside of ASCII.
constexpr std::string_view encoded_characters(UrlPart part) {
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

using ByteSet = std::array<bool, 256>;

constexpr ByteSet bytes_to_encode(UrlPart part) {
  ByteSet set{};
  for (std::size_t byte = 0; byte < set.size(); ++byte)
    set[byte] = byte < 0x20 || byte > 0x7e;
  for (const char c : encoded_characters(part))
    set[static_cast<unsigned char>(c)] = true;
  return set;
}

/// In the order of the enumeration.
constexpr std::array kBytesToEncode{
    bytes_to_encode(UrlPart::opaque), bytes_to_encode(UrlPart::fragment),
    bytes_to_encode(UrlPart::query),  bytes_to_encode(UrlPart::special_query),
    bytes_to_encode(UrlPart::path),   bytes_to_encode(UrlPart::userinfo),
};

void append_escape(std::string& out, unsigned char byte) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  out += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
}

}  // namespace

void append_encoded(std::string& out, std::string_view text, UrlPart part) {
  const ByteSet& encoded = kBytesToEncode[static_cast<std::size_t>(part)];
  const auto is_encoded = [&](char c) { return encoded[static_cast<unsigned char>(c)]; };
  while (!text.empty()) {
    const auto plain = std::ranges::find_if(text, is_encoded) - text.begin();
    out += text.substr(0, static_cast<std::size_t>(plain));
    text.remove_prefix(static_cast<std::size_t>(plain));
    if (text.empty()) return;
    append_escape(out, static_cast<unsigned char>(text.front()));
    text.remove_prefix(1);
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
