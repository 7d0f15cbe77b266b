#include "schemas/uri_reference.h"

// Boost.URL has no library in the packages that we build from: it is compiled here, once.
#include <boost/url/src.hpp>

#include <algorithm>

#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

#include "schemas/limits.h"

namespace bartizan {

namespace urls = boost::urls;

namespace {

/// Whether what stands behind `//` is an authority to its end. Boost.URL 1.81 ends a port at the
/// first letter, and a host behind four numbers, and takes the rest for a path.
/// Source: RFC 3986 §3.2, §3.3.
bool has_whole_authority(const urls::url_view& uri) {
  const std::string_view path = uri.encoded_path();
  if (!uri.has_authority() || path.empty() || path.starts_with('/')) return true;
  if (uri.host_type() != urls::host_type::ipv4 || uri.has_port()) return false;
  const std::string_view rest = path.substr(0, path.find('/'));
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !rest.contains('@') &&
         std::ranges::all_of(rest.substr(std::min(colon + 1, rest.size())), is_digit);
}

}  // namespace

std::optional<ResolvedUri> resolve_uri(std::string_view base, std::string_view reference) {
  if (reference.size() > limits::schema_uri_bytes_max) return std::nullopt;
  const auto absolute = urls::parse_uri(base);
  const auto relative = urls::parse_uri_reference(reference);
  if (absolute.has_error() || relative.has_error()) return std::nullopt;
  urls::url resolved;
  if (urls::resolve(*absolute, *relative, resolved).has_error()) return std::nullopt;
  resolved.normalize();
  ResolvedUri found{.uri = {}, .fragment = resolved.fragment()};
  resolved.remove_fragment();
  if (resolved.size() > limits::schema_uri_bytes_max) return std::nullopt;
  found.uri = std::string(resolved.buffer());
  return found;
}

bool is_uri_reference(std::string_view text) {
  const auto parsed = urls::parse_uri_reference(text);
  return parsed.has_value() && has_whole_authority(*parsed);
}

bool is_uri(std::string_view text) {
  const auto parsed = urls::parse_uri(text);
  return parsed.has_value() && has_whole_authority(*parsed);
}

bool is_ipv4_address(std::string_view text) {
  return urls::parse_ipv4_address(text).has_value();
}

bool is_ipv6_address(std::string_view text) {
  return urls::parse_ipv6_address(text).has_value();
}

}  // namespace bartizan
