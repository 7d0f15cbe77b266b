#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "fuzz/require.h"
#include "policy/url/check_url.h"
#include "policy/url/url.h"
#include "schemas/base/limits.h"

/// A URL is read again as it was written; what passes has a host of the Internet, spelled in the
/// text where a plain reader looks for it.

namespace {

using namespace bartizan;

void check_parts(const Url& url) {
  require(!url.scheme.empty());
  require(url.path.empty() || url.path.starts_with('/') || url.has_opaque_path);
  require(!url.port || url.port != default_port(url.scheme));
  require(url.host.text.find_first_of("@/?#\\ ") == std::string::npos);
  const bool has_host = url.host.kind != UrlHost::Kind::none;
  require(has_host || (url.username.empty() && url.password.empty() && !url.port));
}

/// Encoding may make a URL longer than what is read.
void check_written(const Url& url) {
  const std::string written = text(url);
  if (written.size() > limits::url_bytes_max || url.host.text.size() > limits::url_host_bytes_max)
    return;
  require(read_url(written) == url);
}

void check_address(const UrlHost& host) {
  if (const auto* ipv4 = std::get_if<Ipv4Address>(&host.address)) {
    require(read_ipv4(host.text) == *ipv4);
    require(address_class(*ipv4) == AddressClass::global);
  }
  if (const auto* ipv6 = std::get_if<Ipv6Address>(&host.address)) {
    require(host.text == "[" + text(*ipv6) + "]");
    require(address_class(*ipv6) == AddressClass::global);
  }
}

/// What passes, cut at the first slash or mark behind `//`, is a host of ASCII or other letters and
/// a port, without anything that could be a user.
void check_allowed(std::string_view input, const Url& url) {
  check_address(url.host);
  const std::size_t begin = input.find("://");
  require(begin == url.scheme.size());
  const std::string_view rest = input.substr(begin + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  require(!authority.empty() && authority.find_first_of("@\\% \t\r\n") == std::string_view::npos);
  const bool has_brackets = authority.starts_with('[');
  require(has_brackets == (url.host.kind == UrlHost::Kind::ipv6));
}

UrlRules every_host() {
  UrlRules rules{.schemes = {"http", "https"}, .hosts = {}, .ports = {80, 443, 8080}};
  rules.hosts.push_back(HostPattern::read("**").value());
  return rules;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const UrlRules rules = every_host();
  static const Url bases[] = {read_url("https://a.example/b/c?d#e").value(),
                              read_url("file:///C:/a/b").value(), read_url("web:/a//b").value()};
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto url = read_url(input);
  if (url) {
    check_parts(*url);
    check_written(*url);
  }
  for (const Url& base : bases) {
    const auto relative = read_url(input, base);
    if (relative) {
      check_parts(*relative);
      check_written(*relative);
    }
  }
  if (!judge_url(input, rules)) check_allowed(input, url.value());
  HostPattern::read(input);
  return 0;
}
