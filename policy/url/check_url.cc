#include "policy/url/check_url.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <variant>

#include "policy/url/url.h"
#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// The authority of a URL as RFC 3986 §3.2 splits it, and the rest after it.
struct RawAuthority {
  std::string_view text;
  std::string_view rest;

  bool has_credentials() const { return text.contains('@'); }
  /// The host with its brackets, without its port.
  std::string_view host() const {
    if (!text.starts_with('[')) return text.substr(0, text.find(':'));
    return text.substr(0, std::min(text.find(']'), text.size() - 1) + 1);
  }
};

/// Nothing if `//` does not follow the scheme directly.
std::optional<RawAuthority> raw_authority(std::string_view url) {
  constexpr std::string_view kMark = "://";
  const std::string_view behind = url.substr(std::min(url.find(':'), url.size()));
  if (!behind.starts_with(kMark)) return std::nullopt;
  const std::string_view rest = behind.substr(kMark.size());
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  return RawAuthority{rest.substr(0, end), rest.substr(end)};
}

/// Whether a text has characters that parsers remove, stop at, or replace.
bool has_mended_characters(std::string_view text) {
  return text.contains(' ') || text.contains('\\') || has_control_character(text);
}

/// Characters that the two versions of IDNA map to different names. Source: UTS 46 §2.3.
bool has_deviations(std::string_view text) {
  constexpr auto kDeviations =
      std::to_array<std::string_view>({"\xc3\x9f", "\xcf\x82", "\xe2\x80\x8c", "\xe2\x80\x8d"});
  return std::ranges::any_of(kDeviations, [&](std::string_view c) { return text.contains(c); });
}

/// Whether the text spells a host as it is looked up. An address in brackets has many spellings,
/// which all parsers read alike.
bool is_plain_host(std::string_view raw, const UrlHost& host) {
  if (host.kind == UrlHost::Kind::ipv6) return raw.starts_with('[');
  const auto is_same = [&](std::string_view want) {
    return std::ranges::equal(raw, want, {}, lower_case);
  };
  return is_same(host.text) || (!has_deviations(raw) && is_same(unicode_text(host)));
}

/// A path that begins with `?` or `#` hides the end of the host from some parsers.
bool may_hide_host(std::string_view rest) {
  return !rest.starts_with('/') && rest.contains('@');
}

/// The host of a connection. Schemes outside of the standard have the same names and addresses.
std::optional<UrlHost> connected_host(const UrlHost& host) {
  return host.kind == UrlHost::Kind::opaque ? read_host(host.text) : host;
}

bool is_at_or_below(std::string_view name, std::string_view domain) {
  if (!name.ends_with(domain)) return false;
  name.remove_suffix(domain.size());
  return name.empty() || name.ends_with('.');
}

/// Whether clouds serve their metadata under a name.
bool is_metadata_name(std::string_view name) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"metadata", "metadata.goog", "metadata.google.internal",
                                       "instance-data", "instance-data.ec2.internal"});
  return std::ranges::find(kNames, name) != kNames.end();
}

/// Whether a name belongs to the local machine or network. A single label does.
bool is_local_name(std::string_view name) {
  constexpr auto kDomains =
      std::to_array<std::string_view>({"localhost", "localdomain", "local", "internal", "intranet",
                                       "private", "corp", "home", "lan", "home.arpa"});
  return !name.contains('.') || std::ranges::any_of(kDomains, [&](std::string_view domain) {
    return is_at_or_below(name, domain);
  });
}

AddressClass class_of_name(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  if (is_metadata_name(name)) return AddressClass::metadata;
  return is_local_name(name) ? AddressClass::private_use : AddressClass::global;
}

/// The class of an address, or that of a name.
AddressClass class_of(const UrlHost& host) {
  if (const auto* ipv4 = std::get_if<Ipv4Address>(&host.address)) return address_class(*ipv4);
  if (const auto* ipv6 = std::get_if<Ipv6Address>(&host.address)) return address_class(*ipv6);
  return class_of_name(host.text);
}

bool is_port_allowed(const Url& url, const UrlRules& rules) {
  if (rules.ports.empty()) return !url.port;
  const auto port = url.port ? url.port : default_port(url.scheme);
  return port && std::ranges::find(rules.ports, *port) != rules.ports.end();
}

bool is_host_allowed(const UrlHost& host, const UrlRules& rules) {
  return std::ranges::any_of(rules.hosts, [&](const HostPattern& p) { return p.matches(host); });
}

/// Judges the spelling of the URL.
std::optional<UrlRefusal> judge_spelling(std::string_view text, const UrlHost& host) {
  const auto authority = raw_authority(text);
  if (!authority || has_mended_characters(text)) return UrlRefusal::ambiguous;
  if (authority->has_credentials()) return UrlRefusal::credentials;
  if (may_hide_host(authority->rest) || !is_plain_host(authority->host(), host)) {
    return UrlRefusal::ambiguous;
  }
  const bool is_name = host.kind == UrlHost::Kind::domain;
  if (is_name && !is_plain_name(host.text)) return UrlRefusal::malformed;
  return std::nullopt;
}

}  // namespace

UrlRules compile_url_rules(const UrlForm& form) {
  UrlRules rules{.schemes = form.schemes,
                 .ports = form.ports,
                 .allow_private = form.allow_private,
                 .resolve = form.resolve};
  for (const std::string& text : form.hosts) {
    if (auto pattern = HostPattern::read(text)) rules.hosts.push_back(*std::move(pattern));
  }
  return rules;
}

std::optional<UrlRefusal> judge_url(std::string_view text, const UrlRules& rules) {
  const auto url = read_url(text);
  if (!url) return UrlRefusal::malformed;
  if (std::ranges::find(rules.schemes, url->scheme) == rules.schemes.end()) {
    return UrlRefusal::scheme;
  }
  const auto host = connected_host(url->host);
  if (!host) return UrlRefusal::malformed;
  if (host->text.empty()) return UrlRefusal::host;
  if (const auto refusal = judge_spelling(text, *host)) return refusal;
  if (!may_reach(class_of(*host), rules)) return UrlRefusal::address;
  if (!is_host_allowed(*host, rules)) return UrlRefusal::host;
  if (!is_port_allowed(*url, rules)) return UrlRefusal::port;
  return std::nullopt;
}

std::optional<std::string> name_to_look_up(std::string_view text) {
  const auto url = read_url(text);
  auto host = url ? connected_host(url->host) : std::nullopt;
  if (!host || host->kind != UrlHost::Kind::domain) return std::nullopt;
  return std::move(host->text);
}

bool leads_elsewhere(std::string_view text, const UrlRules& rules) {
  const auto url = read_url(text);
  if (!url) return false;
  const auto host = connected_host(url->host);
  if (!host || host->text.empty()) return false;
  const auto spelling = judge_spelling(text, *host);
  return !spelling && !is_host_allowed(*host, rules);
}

bool may_reach(AddressClass kind, const UrlRules& rules) {
  using enum AddressClass;
  if (kind == global) return true;
  return rules.allow_private && (kind == loopback || kind == private_use || kind == shared);
}

std::string_view text(UrlRefusal refusal) {
  constexpr auto kCodes =
      std::to_array<std::string_view>({"url_malformed", "url_ambiguous", "url_scheme",
                                       "url_credentials", "url_host", "url_port", "url_address"});
  return kCodes[static_cast<std::size_t>(refusal)];
}

}  // namespace bartizan
