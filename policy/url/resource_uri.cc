#include "policy/url/resource_uri.h"

#include <algorithm>
#include <cstddef>

#include "policy/path/path_spelling.h"
#include "policy/text/percent.h"
#include "policy/url/url_encoding.h"
#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

void append_escape(std::string& out, unsigned char byte) {
  if (byte >= 0x80) {
    out += static_cast<char>(byte);
    return;
  }
  out += '%';
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

bool is_ambiguous_escape(unsigned char byte) {
  const char c = static_cast<char>(byte);
  if (is_upper(c) || is_lower(c) || is_digit(c) || byte < 0x20 || byte == 0x7f) return true;
  constexpr std::string_view kAmbiguous = "-._~/\\%";
  return kAmbiguous.find(c) != std::string_view::npos;
}

bool is_raw_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7f && c != '\\';
}

/// Whether the scheme is in the normal form of RFC 3986 §6.2.2.1, so that one pattern matches it.
bool has_plain_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_lower(uri[0])) return false;
  return std::ranges::all_of(uri.substr(0, colon), [](char c) {
    return is_lower(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

/// The text between `//` and the path, for schemes that have it.
std::string_view authority_of(std::string_view uri) {
  const std::string_view rest = uri.substr(uri.find(':') + 1);
  return rest.starts_with("//") ? rest.substr(2, rest.find_first_of("/?#", 2) - 2)
                                : std::string_view();
}

bool has_plain_authority(std::string_view uri) {
  const std::string_view authority = authority_of(uri);
  if (authority.contains('@')) return false;
  if (uri.starts_with("file:")) return uri.starts_with("file:///");
  if (!uri.starts_with("http:") && !uri.starts_with("https:")) return true;
  return !authority.empty() && std::ranges::none_of(authority, is_upper);
}

bool is_plain_segment(std::string_view segment) {
  return segment != "." && segment != "..";
}

/// Segments are also split at `?`, `#` and `;`, where some servers cut.
bool has_plain_segments(std::string_view uri) {
  constexpr std::string_view kFile = "file:///";
  const bool is_file = uri.starts_with(kFile);
  if (is_file && uri.substr(kFile.size() - 1).find("//") != std::string_view::npos) return false;
  while (true) {
    const std::size_t end = uri.find_first_of("/?#;:");
    if (!is_plain_segment(uri.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    uri.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::string> normal_resource_uri(std::string_view uri) {
  if (!has_plain_scheme(uri) || !has_plain_authority(uri) || !has_plain_segments(uri)) {
    return std::nullopt;
  }
  std::string out;
  out.reserve(uri.size());
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (!is_raw_character(uri[i])) return std::nullopt;
    if (uri[i] != '%') {
      out += uri[i];
      continue;
    }
    const auto byte = escaped_byte(uri, i);
    if (!byte || is_ambiguous_escape(*byte)) return std::nullopt;
    append_escape(out, *byte);
    i += 2;
  }
  if (!is_valid_utf8(out)) return std::nullopt;
  // Some servers decode before they split.
  const std::string decoded = percent_decoded(out);
  if (!is_plain_unicode(decoded) || !has_plain_segments(decoded) ||
      authority_of(decoded).contains('@'))
    return std::nullopt;
  return out;
}

std::string normal_resource_pattern(std::string_view pattern) {
  std::string out;
  out.reserve(pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto byte = pattern[i] == '%' ? escaped_byte(pattern, i) : std::nullopt;
    if (!byte) {
      out += pattern[i];
      continue;
    }
    append_escape(out, *byte);
    i += 2;
  }
  return out;
}

}  // namespace bartizan
