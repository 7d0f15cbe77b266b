#include "config/redirect_uri.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "config/parse_host_port.h"

namespace bartizan {
namespace {

constexpr std::size_t kBytesMax = 2048;

/// Schemes that browsers and systems do not simply pass to an application.
constexpr std::array<std::string_view, 20> kNeverSchemes{
    "about", "blob",        "chrome", "data",       "facetime", "file",    "filesystem",
    "ftp",   "http",        "intent", "javascript", "mailto",   "ms-msdt", "search-ms",
    "sms",   "view-source", "tel",    "vbscript",   "ws",       "wss"};

bool is_scheme(std::string_view text) {
  const bool begins = !text.empty() && text.front() >= 'a' && text.front() <= 'z';
  return begins && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' ||
                  c == '.';
         });
}

/// Visible ASCII without characters that URLs escape. Browsers read a backslash as a slash.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '\\' && c != '^' &&
           c != '`' && c != '{' && c != '|' && c != '}';
  });
}

/// A URL of a loopback host in three parts.
struct LoopbackParts {
  std::string_view host;  ///< Empty: the URL is not one.
  std::string_view rest;  ///< Path and query.
};

LoopbackParts loopback_parts(std::string_view uri) {
  constexpr std::string_view kScheme = "http://";
  if (!uri.starts_with(kScheme)) return {};
  std::string_view after = uri.substr(kScheme.size());
  const std::size_t authority_end = std::min(after.find_first_of("/?"), after.size());
  const std::string_view authority = after.substr(0, authority_end);
  const bool has_bracket = authority.starts_with('[');
  const std::size_t host_end = has_bracket ? std::min(authority.find(']'), authority.size() - 1) + 1
                                           : std::min(authority.find(':'), authority.size());
  const std::string_view port = authority.substr(host_end);
  const bool is_port =
      port.empty() ||
      (port.size() >= 2 && port.size() <= 6 && port.front() == ':' &&
       std::ranges::all_of(port.substr(1), [](char c) { return c >= '0' && c <= '9'; }));
  const std::string_view host = authority.substr(0, host_end);
  const bool is_known = host == "127.0.0.1" || host == "[::1]" || host == "localhost";
  if (!is_known || !is_port) return {};
  return {host, after.substr(authority_end)};
}

}  // namespace

std::string_view find_redirect_fault(std::string_view uri) {
  if (uri.empty() || uri.size() > kBytesMax) return "is longer than 2048 bytes, or empty";
  if (!is_plain(uri)) return "holds characters that a URI has escaped";
  if (uri.contains('#')) return "has a fragment";
  const std::string_view scheme = uri.substr(0, std::min(uri.find(':'), uri.size()));
  if (!is_scheme(scheme)) return "has no scheme in lower case";
  if (scheme == "https") {
    return parse_url_kind(uri) == UrlKind::https ? ""
                                                 : "is not a URL without user name and password";
  }
  if (scheme == "http") {
    return is_loopback_redirect(uri) ? "" : "is http:// and not on 127.0.0.1, [::1] or localhost";
  }
  if (std::ranges::find(kNeverSchemes, scheme) != kNeverSchemes.end()) {
    return "has a scheme that leads to no application of its own";
  }
  const std::string_view rest = uri.substr(scheme.size());
  const bool has_host = rest.starts_with("://") && rest.size() > 3 && rest[3] != '/';
  const bool is_reverse_name = scheme.contains('.') && rest.starts_with(":/");
  if (has_host || is_reverse_name) return "";
  return "names no application";
}

bool is_loopback_redirect(std::string_view uri) {
  return !loopback_parts(uri).host.empty();
}

bool is_same_redirect(std::string_view registered, std::string_view asked) {
  if (registered == asked) return true;
  const LoopbackParts one = loopback_parts(registered);
  const LoopbackParts other = loopback_parts(asked);
  return !one.host.empty() && one.host == other.host && one.rest == other.rest;
}

}  // namespace bartizan
