#include "config/ui_origin.h"

#include <algorithm>
#include <cstddef>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kHostBytesMax = 253;
constexpr std::size_t kLabelBytesMax = 63;
constexpr std::size_t kPortDigitsMax = 5;

/// Labels of lower-case letters, digits and dashes. An IPv4 address matches too.
bool is_host(std::string_view host) {
  if (host.empty() || host.size() > kHostBytesMax) return false;
  std::size_t label = 0;
  for (const char c : host) {
    if (c == '.') {
      if (label == 0) return false;
      label = 0;
      continue;
    }
    if (!is_lower(c) && !is_digit(c) && c != '-') return false;
    if (++label > kLabelBytesMax) return false;
  }
  return label > 0;
}

bool is_port(std::string_view port) {
  return !port.empty() && port.size() <= kPortDigitsMax && std::ranges::all_of(port, is_digit);
}

}  // namespace

std::optional<UiOrigin> parse_ui_origin(std::string_view text) {
  constexpr std::string_view kBehindScheme = "://";
  const std::size_t end = text.find(kBehindScheme);
  if (end == std::string_view::npos) return std::nullopt;
  UiOrigin origin{.scheme = std::string(text.substr(0, end)), .host = {}, .port = {}};
  if (origin.scheme != "https" && origin.scheme != "wss") return std::nullopt;
  std::string_view rest = text.substr(end + kBehindScheme.size());
  constexpr std::string_view kWildcard = "*.";
  origin.is_wildcard = rest.starts_with(kWildcard);
  if (origin.is_wildcard) rest.remove_prefix(kWildcard.size());
  const std::size_t colon = rest.find(':');
  origin.host = rest.substr(0, colon);
  if (!is_host(origin.host)) return std::nullopt;
  if (colon != std::string_view::npos) {
    origin.port = rest.substr(colon + 1);
    if (!is_port(origin.port)) return std::nullopt;
  }
  return origin;
}

bool covers(const UiOrigin& allowed, const UiOrigin& asked) {
  if (allowed.scheme != asked.scheme || allowed.port != asked.port) return false;
  if (!allowed.is_wildcard) return !asked.is_wildcard && allowed.host == asked.host;
  if (asked.is_wildcard && asked.host == allowed.host) return true;
  return asked.host.size() > allowed.host.size() && asked.host.ends_with(allowed.host) &&
         asked.host[asked.host.size() - allowed.host.size() - 1] == '.';
}

}  // namespace bartizan
