#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "policy/url/ip_address.h"

namespace bartizan {

/// The host of a URL, in one spelling for each place.
struct UrlHost {
  enum class Kind : std::uint8_t {
    none,    ///< `mailto:ann` has no host.
    empty,   ///< `file:///etc` has a host without a name.
    domain,  ///< A name in lower-case ASCII, with `xn--…` for labels of other scripts.
    ipv4,
    ipv6,
    opaque,  ///< Of a scheme that is not special; its meaning is unknown.
  } kind = Kind::none;
  std::string text = {};  ///< As in URLs: `example.com`, `127.0.0.1`, `[::1]`.
  /// The address, for `ipv4` and `ipv6`.
  std::variant<std::monostate, Ipv4Address, Ipv6Address> address = {};

  bool operator==(const UrlHost&) const = default;
};

/// Parses the host of `http` and other special schemes. Escapes are decoded, the name is mapped to
/// ASCII, and a number in any spelling becomes an address. Nothing if it is not a host.
///
/// Input:  valid UTF-8.
/// Cost:   one pass for ASCII; otherwise, and for `xn--…` labels, a mapping by ICU.
/// Source: WHATWG URL §3.5 "host parser", §3.3 "domain to ASCII"; UTS 46 §4.
std::optional<UrlHost> read_host(std::string_view text);

/// Parses the host of any other scheme. Source: WHATWG URL §3.5, "opaque-host parser".
std::optional<UrlHost> read_opaque_host(std::string_view text);

/// Whether the labels of a name have only letters, digits, hyphens and underscores. No label is
/// empty, and the name does not begin with a hyphen. Resolvers accept such a name, and programs do
/// not read it as an option. A dot at the end is allowed. Input: the text of a domain.
bool is_plain_name(std::string_view name);

/// A name with its `xn--…` labels in their own script; any other host unchanged.
std::string unicode_text(const UrlHost& host);

}  // namespace bartizan
