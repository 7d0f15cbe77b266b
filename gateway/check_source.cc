#include "gateway/check_source.h"

#include <algorithm>

#include "config/parse_endpoint.h"
#include "gateway/http_fields.h"

namespace bartizan {
namespace {

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool in_brackets = host.find(']', colon == host.npos ? 0 : colon) != host.npos;
  return colon == host.npos || in_brackets ? host : host.substr(0, colon);
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
