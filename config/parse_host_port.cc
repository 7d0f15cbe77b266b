#include "config/parse_host_port.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

namespace bartizan {
namespace {

constexpr std::size_t kHostBytesMax = 253;
constexpr std::size_t kUrlBytesMax = 2048;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Four decimal octets. Leading zeros are refused: some resolvers read them as octal.
bool is_ipv4(std::string_view text) {
  int octets = 0;
  for (bool is_last = false; !is_last; ++octets) {
    const std::size_t dot = text.find('.');
    is_last = dot == std::string_view::npos;
    const std::string_view octet = text.substr(0, dot);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(octet.data(), octet.data() + octet.size(), value);
    if (error != std::errc() || end != octet.data() + octet.size() || value > 255) return false;
    if (octet.size() > 1 && octet.front() == '0') return false;
    if (!is_last) text.remove_prefix(dot + 1);
  }
  return octets == 4;
}

bool is_ipv6(std::string_view text) {
  return text.size() >= 2 && text.size() <= 45 && std::ranges::count(text, ':') >= 2 &&
         std::ranges::all_of(text, [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' ||
                  c == '.';
         });
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kHostBytesMax) return false;
  if (text.front() == '.' || text.front() == '-' || text.contains("..")) return false;
  return std::ranges::all_of(
      text, [](char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_'; });
}

/// A name or an IPv4 address. A text of digits and dots must be a valid address: resolvers disagree
/// about `127.1`.
bool is_plain_host(std::string_view text) {
  const bool is_numeric = std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; });
  return is_numeric ? is_ipv4(text) : is_name(text);
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

/// The host before an optional port, and whether the text has nothing else.
struct SplitHost {
  std::string_view host;
  std::optional<std::uint16_t> port;
};

std::optional<SplitHost> split_host(std::string_view text) {
  std::size_t end = text.find(':');
  std::string_view host = text.substr(0, end);
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = text.substr(1, end - 1);
    if (!is_ipv6(host)) return std::nullopt;
    ++end;
  } else if (!is_plain_host(host)) {
    return std::nullopt;
  }
  if (end >= text.size()) return SplitHost{.host = host, .port = std::nullopt};
  if (text[end] != ':') return std::nullopt;
  const auto port = parse_port(text.substr(end + 1));
  if (!port) return std::nullopt;
  return SplitHost{.host = host, .port = port};
}

std::string_view after_scheme(std::string_view url) {
  if (url.starts_with("https://")) return url.substr(8);
  return url.starts_with("http://") ? url.substr(7) : std::string_view();
}

}  // namespace

std::optional<HostPort> parse_host_port(std::string_view text) {
  const auto split = split_host(text);
  if (!split || !split->port) return std::nullopt;
  return HostPort{.host = std::string(split->host), .port = *split->port};
}

bool is_loopback(std::string_view host) {
  if (host == "127.0.0.1" || host == "localhost" || host == "::1") return true;
  return host.starts_with("127.") && is_ipv4(host);
}

bool is_host(std::string_view text) {
  const auto split = split_host(text);
  return split && split->port != 0;
}

std::string as_http_url(std::string_view url) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSchemes{
      {{"ws://", "http://"},
       {"wss://", "https://"},
       {"tcp://", "http://"},
       {"tls://", "https://"}}};
  for (const auto& [scheme, http] : kSchemes) {
    if (url.starts_with(scheme)) {
      return std::string(http) + std::string(url.substr(scheme.size()));
    }
  }
  return std::string(url);
}

UrlKind parse_url_kind(std::string_view text) {
  const std::string_view rest = after_scheme(text);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.contains('@')) return UrlKind::with_credentials;
  const bool is_clean = std::ranges::all_of(
      text, [](char c) { return c > ' ' && c < 0x7f && c != '\\' && c != '#'; });
  if (text.size() > kUrlBytesMax || !is_clean || !is_host(authority)) return UrlKind::invalid;
  return text.starts_with("https") ? UrlKind::https : UrlKind::http;
}

std::string_view url_host(std::string_view url) {
  const std::string_view rest = after_scheme(url);
  const auto split = split_host(rest.substr(0, rest.find_first_of("/?#")));
  return split ? split->host : std::string_view();
}

std::string_view url_path(std::string_view url) {
  const std::size_t host = std::min(url.find("://"), url.size());
  const std::size_t begin = std::min(url.find('/', std::min(host + 3, url.size())), url.size());
  std::string_view path = url.substr(begin);
  while (path.ends_with('/'))
    path.remove_suffix(1);
  return path;
}

bool is_safe_url(std::string_view url) {
  const UrlKind kind = parse_url_kind(url);
  return kind == UrlKind::https || (kind == UrlKind::http && is_loopback(url_host(url)));
}

bool is_origin(std::string_view text) {
  const std::string_view rest = after_scheme(text);
  return !rest.empty() && is_host(rest);
}

}  // namespace bartizan
