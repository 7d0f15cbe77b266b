#include "schemas/schema/uri_reference.h"

#include <algorithm>
#include <utility>

#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// The parts of a reference. Missing ones are absent, not empty.
struct UriParts {
  std::optional<std::string_view> scheme, authority;
  std::string_view path;
  std::optional<std::string_view> query, fragment;
};

constexpr std::string_view kMarks = "-._~";
constexpr std::string_view kSubDelimiters = "!$&'()*+,;=";
constexpr std::size_t kEncodedBytes = 3;  // `%2F`

bool is_unreserved(char c) {
  return is_letter(c) || is_digit(c) || kMarks.contains(c);
}

/// Whether all characters are unreserved, sub-delimiters, percent-encoded bytes or in `others`.
/// Source: RFC 3986 §2, §3.3.
bool consists_of(std::string_view text, std::string_view others) {
  while (!text.empty()) {
    const bool is_encoded = text.front() == '%';
    if (is_encoded && (text.size() < kEncodedBytes || !is_hex(text[1]) || !is_hex(text[2]))) {
      return false;
    }
    const char c = text.front();
    const bool is_plain = is_unreserved(c) || kSubDelimiters.contains(c) || others.contains(c);
    if (!is_encoded && !is_plain) return false;
    text.remove_prefix(is_encoded ? kEncodedBytes : 1);
  }
  return true;
}

/// Cuts off the text before the first of `ends`, which stays.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view taken = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(taken.size());
  return taken;
}

bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

/// `v1.fe80`, for future kinds of addresses.
bool is_future_address(std::string_view text) {
  if (!text.starts_with('v') && !text.starts_with('V')) return false;
  text.remove_prefix(1);
  const std::string_view version = take_until(text, ".");
  const bool is_version = !version.empty() && std::ranges::all_of(version, is_hex);
  return is_version && text.size() > 1 && !text.contains('%') && consists_of(text.substr(1), ":");
}

/// Source: RFC 3986 §3.2.
bool is_authority(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    if (!consists_of(text.substr(0, at), ":")) return false;
    text.remove_prefix(at + 1);
  }
  if (text.starts_with('[')) {
    const std::string_view address = take_until(text, "]").substr(1);
    if (text.empty() || !(is_ipv6_address(address) || is_future_address(address))) return false;
    text.remove_prefix(1);
  } else if (!consists_of(take_until(text, ":"), "")) {
    return false;
  }
  if (text.empty()) return true;
  return text.starts_with(':') && std::ranges::all_of(text.substr(1), is_digit);
}

/// Source: RFC 3986 §4.1, Appendix B.
std::optional<UriParts> read_parts(std::string_view text) {
  UriParts parts;
  const std::size_t special = text.find_first_of(":/?#");
  if (special != std::string_view::npos && text[special] == ':') {
    parts.scheme = text.substr(0, special);
    if (!is_scheme(*parts.scheme)) return std::nullopt;
    text.remove_prefix(special + 1);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    parts.authority = take_until(text, "/?#");
    if (!is_authority(*parts.authority)) return std::nullopt;
  }
  parts.path = take_until(text, "?#");
  if (!consists_of(parts.path, ":@/")) return std::nullopt;
  if (text.starts_with('?')) {
    parts.query = take_until(text, "#").substr(1);
    if (!consists_of(*parts.query, ":@/?")) return std::nullopt;
  }
  if (text.starts_with('#')) {
    parts.fragment = text.substr(1);
    if (!consists_of(*parts.fragment, ":@/?")) return std::nullopt;
  }
  return parts;
}

constexpr std::size_t kIpv4Numbers = 4;
constexpr std::size_t kIpv6Groups = 8;

bool is_octet(std::string_view text) {
  constexpr std::size_t kDigits = 3;
  if (text.empty() || text.size() > kDigits || !std::ranges::all_of(text, is_digit)) return false;
  if (text.size() > 1 && text.front() == '0') return false;
  return text.size() < kDigits || text <= "255";
}

/// Counts groups of sixteen bits, separated by colons. An IPv4 address may replace the last two.
/// Nothing for other text.
std::optional<std::size_t> count_groups(std::string_view text) {
  constexpr std::size_t kDigits = 4;
  std::size_t groups = 0;
  while (!text.empty()) {
    const std::string_view group = take_until(text, ":");
    if (text.empty() && is_ipv4_address(group)) return groups + 2;
    const bool is_group =
        !group.empty() && group.size() <= kDigits && std::ranges::all_of(group, is_hex);
    if (!is_group || text == ":") return std::nullopt;
    ++groups;
    text.remove_prefix(text.empty() ? 0 : 1);
  }
  return groups;
}

char upper(char c) {
  constexpr char kCase = 'a' - 'A';
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - kCase) : c;
}

std::string lower(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), lower_case);
  return small;
}

unsigned hex_value(char c) {
  constexpr unsigned kTen = 10;
  return static_cast<unsigned>(is_digit(c) ? c - '0' : upper(c) - 'A') + (is_digit(c) ? 0 : kTen);
}

/// The byte that an encoding such as `%2F` means.
char decoded(std::string_view encoded) {
  constexpr unsigned kHex = 16;
  return static_cast<char>(hex_value(encoded[1]) * kHex + hex_value(encoded[2]));
}

std::string decode(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const bool is_encoded = text.front() == '%';
    plain += is_encoded ? decoded(text) : text.front();
    text.remove_prefix(is_encoded ? kEncodedBytes : 1);
  }
  return plain;
}

/// Encodes only where necessary, in one spelling. Source: RFC 3986 §6.2.2.
std::string normalize_encoding(std::string_view text) {
  std::string normal;
  while (!text.empty()) {
    const bool is_encoded = text.front() == '%';
    const char c = is_encoded ? decoded(text) : text.front();
    if (is_encoded && !is_unreserved(c)) {
      normal += {'%', upper(text[1]), upper(text[2])};
    } else {
      normal += c;
    }
    text.remove_prefix(is_encoded ? kEncodedBytes : 1);
  }
  return normal;
}

/// Source: RFC 3986 §5.2.4.
std::string remove_dot_segments(std::string_view path) {
  constexpr std::string_view kHere = "/.";
  constexpr std::string_view kAbove = "/..";
  std::string kept;
  while (!path.empty()) {
    if (path == "." || path == "..") {
      path = {};
    } else if (path.starts_with("./") || path.starts_with("../")) {
      path.remove_prefix(path.find('/') + 1);
    } else if (path == kHere || path.starts_with("/./")) {
      path = path == kHere ? "/" : path.substr(kHere.size());
    } else if (path == kAbove || path.starts_with("/../")) {
      path = path == kAbove ? "/" : path.substr(kAbove.size());
      const std::size_t last = kept.rfind('/');
      kept.resize(last == std::string::npos ? 0 : last);
    } else {
      const std::string_view segment = path.substr(0, path.find('/', 1));
      kept += segment;
      path.remove_prefix(segment.size());
    }
  }
  return kept;
}

/// Merges a relative path with a base. Source: RFC 3986 §5.2.2, §5.2.3.
std::string merge(const UriParts& base, std::string_view path) {
  if (path.empty()) return std::string(base.path);
  if (path.starts_with('/')) return std::string(path);
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  return std::string(base.path.substr(0, base.path.rfind('/') + 1)) + std::string(path);
}

/// Source: RFC 3986 §5.3.
std::string compose(const UriParts& parts, std::string path) {
  std::string uri = lower(*parts.scheme) + ":";
  // Host names are case-insensitive; user names are not.
  if (parts.authority) {
    const std::size_t host = parts.authority->find('@') + 1;
    uri += "//" + normalize_encoding(parts.authority->substr(0, host)) +
           normalize_encoding(lower(normalize_encoding(parts.authority->substr(host))));
  } else if (path.starts_with("//")) {
    // It would be read as an authority.
    path.insert(0, "/.");
  }
  uri += path;
  if (parts.query) uri += "?" + normalize_encoding(*parts.query);
  return uri;
}

}  // namespace

std::optional<ResolvedUri> resolve_uri(std::string_view base, std::string_view reference) {
  if (reference.size() > limits::schema_uri_bytes_max) return std::nullopt;
  const auto absolute = read_parts(base);
  const auto relative = read_parts(reference);
  if (!absolute || !absolute->scheme || !relative) return std::nullopt;
  UriParts target = *relative;
  std::string path(relative->path);
  if (!relative->scheme) {
    target.scheme = absolute->scheme;
    if (!relative->authority) {
      target.authority = absolute->authority;
      path = merge(*absolute, relative->path);
      if (relative->path.empty() && !relative->query) target.query = absolute->query;
    }
  }
  std::string uri = compose(target, remove_dot_segments(normalize_encoding(path)));
  if (uri.size() > limits::schema_uri_bytes_max) return std::nullopt;
  return ResolvedUri{.uri = std::move(uri), .fragment = decode(relative->fragment.value_or(""))};
}

bool is_uri_reference(std::string_view text) {
  return read_parts(text).has_value();
}

bool is_uri(std::string_view text) {
  const auto parts = read_parts(text);
  return parts && parts->scheme;
}

bool is_ipv4_address(std::string_view text) {
  for (std::size_t left = kIpv4Numbers; left > 1; --left) {
    if (!is_octet(take_until(text, ".")) || text.empty()) return false;
    text.remove_prefix(1);
  }
  return is_octet(text);
}

bool is_ipv6_address(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return count_groups(text) == kIpv6Groups;
  const auto front = count_groups(text.substr(0, gap));
  const auto back = count_groups(text.substr(gap + 2));
  // An IPv4 address must be at the end.
  const bool is_plain = !text.substr(0, gap).contains('.');
  return is_plain && front && back && *front + *back < kIpv6Groups;
}

}  // namespace bartizan
