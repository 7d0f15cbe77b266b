#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "policy/url/ip_address.h"

namespace bartizan {

/// Where a URL leads, in one spelling for each place.
struct UrlHost {
  enum class Kind : std::uint8_t {
    none,    ///< `mailto:ann` has no host,
    empty,   ///< and `file:///etc` one without a name.
    domain,  ///< A name in ASCII and lower case, labels of other scripts as `xn--…`.
    ipv4,
    ipv6,
    opaque,  ///< What another scheme than `http` and its like means by it is not known.
  } kind = Kind::none;
  std::string text = {};  ///< As URLs spell it: `example.com`, `127.0.0.1`, `[::1]`.
  /// The address, of the kinds that are one.
  std::variant<std::monostate, Ipv4Address, Ipv6Address> address = {};

  bool operator==(const UrlHost&) const = default;
};

/// The host that `http` and its like mean by a text: escapes decoded, the name mapped to ASCII, a
/// number read as an address however it is spelled. Nothing where it is no host.
///
/// Input:  valid UTF-8.
/// Cost:   one pass for ASCII; a mapping by ICU otherwise, and for labels `xn--…`.
/// Source: WHATWG URL §3.5 "host parser", §3.3 "domain to ASCII"; UTS 46 §4.
std::optional<UrlHost> read_host(std::string_view text);

/// The host of any other scheme. Source: WHATWG URL §3.5, "opaque-host parser".
std::optional<UrlHost> read_opaque_host(std::string_view text);

/// Whether a name has letters, digits, hyphens and underscores alone in its labels, none of them
/// empty, and no hyphen in front: what a resolver is asked for, and no program takes for an option.
/// A dot at the end is no label. Input: the text of a domain.
bool is_plain_name(std::string_view name);

/// A name with its labels `xn--…` in their own script; any other host as it is.
std::string unicode_text(const UrlHost& host);

}  // namespace bartizan
