#include "gateway/identity/check_source.h"

#include <algorithm>
#include <string>

#include "config/parse_host_port.h"
#include "gateway/http/http_fields.h"
#include "gateway/runtime/asio.h"

namespace bartizan {
namespace {

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The host before a port. A port has only digits: in `localhost:80@evil` the host is `evil` to a
/// reader of URLs.
std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon == host.npos || !is_port(host.substr(colon + 1))) return host;
  return host.substr(0, colon);
}

bool is_loopback_name(std::string_view host) {
  return equal_ignoring_case(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
}

bool holds(const std::vector<std::string>& list, std::string_view text) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& one) { return equal_ignoring_case(one, text); });
}

}  // namespace

bool is_host_allowed(const ListenConfig& listen, std::string_view host) {
  if (is_loopback(listen.address.host) && is_loopback_name(without_port(host))) return true;
  return holds(listen.allowed_hosts, host) || holds(listen.allowed_hosts, without_port(host));
}

bool is_status_host_allowed(const MetricsConfig& metrics, std::string_view host) {
  const std::string_view name = without_port(host);
  if (!name.contains('.') || name.starts_with('[')) return true;
  error_code no_address;
  asio::ip::make_address_v4(name, no_address);
  if (!no_address) return true;
  return holds(metrics.allowed_hosts, host) || holds(metrics.allowed_hosts, name);
}

bool is_console_host_allowed(const ConsoleConfig& console, std::string_view host) {
  if (host.empty()) return false;
  if (is_loopback(console.address.host) && is_loopback_name(without_port(host))) return true;
  return holds(console.allowed_hosts, host) || holds(console.allowed_hosts, without_port(host));
}

bool is_console_origin(const ConsoleConfig& console, std::string_view host, bool is_encrypted,
                       std::string_view origin) {
  if (holds(console.allowed_origins, origin)) return true;
  const std::string own = (is_encrypted ? "https://" : "http://") + std::string(host);
  return equal_ignoring_case(own, origin);
}

bool is_origin_allowed(const ListenConfig& listen, std::string_view origin) {
  if (holds(listen.allowed_origins, origin)) return true;
  if (!is_loopback(listen.address.host)) return false;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme) &&
        is_loopback_name(without_port(origin.substr(scheme.size())))) {
      return true;
    }
  }
  return false;
}

}  // namespace bartizan
