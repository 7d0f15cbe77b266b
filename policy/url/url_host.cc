#include "policy/url/url_host.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include <unicode/uidna.h>

#include "policy/url/url_encoding.h"
#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Source: WHATWG URL §3.2, "forbidden host code point".
bool is_forbidden_in_host(char c) {
  constexpr std::string_view kForbidden("\0\t\n\r #/:<>?@[\\]^|", 17);
  return kForbidden.contains(c);
}

/// Source: WHATWG URL §3.2, "forbidden domain code point".
bool is_forbidden_in_domain(char c) {
  if (is_letter(c) || is_digit(c) || c == '-' || c == '.') return false;
  const auto byte = static_cast<unsigned char>(c);
  return is_forbidden_in_host(c) || byte < 0x20 || byte == 0x7f || c == '%';
}

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower_case);
  return out;
}

/// Whether a lower-case name has a label that must be decoded to be judged.
bool has_encoded_label(std::string_view name) {
  return name.starts_with("xn--") || name.contains(".xn--");
}

/// Lengths, hyphens and empty labels are not errors here. Source: WHATWG URL §3.3, "domain to
/// ASCII" with CheckHyphens and VerifyDnsLength false.
constexpr std::uint32_t kErrorsOfNone =
    UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG |
    UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

/// One of the two directions of the UTS 46 mapping.
using Mapping = decltype(&uidna_nameToASCII_UTF8);

std::optional<std::string> mapped(std::string_view name, Mapping mapping) {
  constexpr std::uint32_t kOptions = UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ |
                                     UIDNA_NONTRANSITIONAL_TO_ASCII |
                                     UIDNA_NONTRANSITIONAL_TO_UNICODE;
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UIDNA, decltype(&uidna_close)> idna(uidna_openUTS46(kOptions, &error),
                                                            uidna_close);
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  std::array<char, 2 * limits::url_host_bytes_max> out{};
  const auto size = mapping(idna.get(), name.data(), static_cast<std::int32_t>(name.size()),
                            out.data(), static_cast<std::int32_t>(out.size()), &info, &error);
  if (U_FAILURE(error) || (info.errors & ~kErrorsOfNone) != 0) return std::nullopt;
  return std::string(out.data(), static_cast<std::size_t>(size));
}

std::optional<std::string> domain_to_ascii(std::string_view name) {
  if (is_ascii(name)) {
    std::string plain = in_lower_case(name);
    if (!has_encoded_label(plain)) return plain;
  } else if (!is_valid_utf8(name)) {
    return std::nullopt;
  }
  return mapped(name, uidna_nameToASCII_UTF8);
}

std::optional<UrlHost> read_bracketed(std::string_view text) {
  if (!text.ends_with(']')) return std::nullopt;
  const auto address = read_ipv6(text.substr(1, text.size() - 2));
  if (!address) return std::nullopt;
  return UrlHost{UrlHost::Kind::ipv6, "[" + bartizan::text(*address) + "]", *address};
}

}  // namespace

std::optional<UrlHost> read_host(std::string_view text) {
  if (text.size() > limits::url_host_bytes_max) return std::nullopt;
  if (text.starts_with('[')) return read_bracketed(text);
  auto name = text.contains('%') ? domain_to_ascii(percent_decoded(text)) : domain_to_ascii(text);
  if (!name || name->empty() || std::ranges::any_of(*name, is_forbidden_in_domain)) {
    return std::nullopt;
  }
  if (!ends_in_number(*name)) return UrlHost{UrlHost::Kind::domain, std::move(*name)};
  const auto address = read_ipv4(*name);
  if (!address) return std::nullopt;
  return UrlHost{UrlHost::Kind::ipv4, bartizan::text(*address), *address};
}

std::optional<UrlHost> read_opaque_host(std::string_view text) {
  if (text.size() > limits::url_host_bytes_max) return std::nullopt;
  if (text.starts_with('[')) return read_bracketed(text);
  if (std::ranges::any_of(text, is_forbidden_in_host)) return std::nullopt;
  UrlHost host{text.empty() ? UrlHost::Kind::empty : UrlHost::Kind::opaque};
  append_encoded(host.text, text, UrlPart::opaque);
  return host;
}

bool is_plain_name(std::string_view name) {
  const auto is_part = [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
  };
  return std::ranges::all_of(name, is_part) && !name.starts_with('.') && !name.starts_with('-') &&
         !name.contains("..");
}

std::string unicode_text(const UrlHost& host) {
  if (host.kind != UrlHost::Kind::domain) return host.text;
  return mapped(host.text, uidna_nameToUnicodeUTF8).value_or(host.text);
}

}  // namespace bartizan
