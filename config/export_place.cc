#include "config/export_place.h"

#include <algorithm>
#include <array>

#include "config/parse_host_port.h"

namespace bartizan {
namespace {

using enum ExportPlace::Wire;

struct Scheme {
  std::string_view start;
  ExportPlace::Wire wire;
  std::uint16_t port;  ///< Source: RFC 5425 §4.1, RFC 6587 §3.1, RFC 5426 §3.3.
};
constexpr std::array kSchemes{Scheme{"tls://", tls, 6514}, Scheme{"tcp://", tcp, 601},
                              Scheme{"udp://", udp, 514},
                              Scheme{"postgresql://", postgresql, 5432}};
constexpr std::string_view kUnix = "unix:";
/// Source: unix(7), `sun_path`.
constexpr std::size_t kSocketPathMax = 107;

bool is_plain(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
}

/// `HOST` or `HOST:PORT`.
bool take_host(std::string_view text, ExportPlace& place) {
  const bool has_port = text.starts_with('[') ? text.contains("]:") : text.contains(':');
  const std::string whole(text);
  const auto read =
      parse_host_port(has_port ? whole : whole + ':' + std::to_string(unsigned{place.port}));
  if (!read || read->port == 0) return false;
  place.host = read->host;
  place.port = read->port;
  return true;
}

}  // namespace

bool ExportPlace::is_local() const {
  return wire == unix_socket || is_loopback(host);
}

std::optional<ExportPlace> parse_export_place(std::string_view url) {
  if (url.starts_with(kUnix)) {
    url.remove_prefix(kUnix.size());
    if (!url.starts_with('/') || url.size() > kSocketPathMax) return std::nullopt;
    return ExportPlace{.wire = unix_socket, .path = std::string(url)};
  }
  const auto* scheme = std::ranges::find_if(
      kSchemes, [url](const Scheme& one) { return url.starts_with(one.start); });
  if (scheme == kSchemes.end()) return std::nullopt;
  url.remove_prefix(scheme->start.size());
  ExportPlace place{.wire = scheme->wire, .port = scheme->port};
  if (place.wire == postgresql) {
    const std::size_t slash = url.find('/');
    if (slash == url.npos || slash + 1 == url.size()) return std::nullopt;
    place.path = url.substr(slash + 1);
    if (!std::ranges::all_of(place.path, is_plain)) return std::nullopt;
    url = url.substr(0, slash);
  }
  if (!take_host(url, place)) return std::nullopt;
  return place;
}

}  // namespace bartizan
