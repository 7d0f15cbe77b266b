#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/url/address_class.h"
#include "policy/url/host_pattern.h"

namespace bartizan {

/// The allowed URLs. Anything that is not named is refused.
struct UrlRules {
  std::vector<std::string> schemes = {};  ///< Lower case: `https`.
  std::vector<HostPattern> hosts = {};
  std::vector<std::uint16_t> ports = {};  ///< Empty: only the default port of the scheme.
  /// Allows the machine itself, private and shared networks, and names in such networks.
  bool allow_private = false;
  bool resolve = false;  ///< Every address of a name must be allowed.
};

/// Compiles the rules of a configuration. `find_policy_problems` reports invalid patterns; they
/// match nothing.
UrlRules compile_url_rules(const UrlForm& form);

/// Why a URL is refused.
enum class UrlRefusal : std::uint8_t {
  malformed,    ///< Not a URL, or its host cannot be resolved.
  ambiguous,    ///< Parsers read its host differently, or correct it.
  scheme,       ///< A scheme that is not allowed.
  credentials,  ///< With a user name or a password, even an empty one.
  host,         ///< No host, or a host that no pattern matches.
  port,         ///< A port that is not allowed.
  address,      ///< An address or name that is not on the Internet.
};

/// Judges a URL for a server from its text alone. Returns nothing if it is allowed.
///
/// The server has its own URL parser. So a URL passes only if all parsers agree on it. It has no
/// blanks, controls and backslashes, and exactly one `//`. Its host is spelled as it is looked up,
/// in any letter case. A name in another script is in lower case and composed form, without the
/// four characters that IDNA 2003 and 2008 map to different names. There is no `@` after a host
/// that `?` or `#` ends.
///
/// Names are not looked up here: see `name_to_look_up`.
///
/// Cost:   that of `read_url`, and one glob for each host pattern.
/// Source: CWE-918; WHATWG URL §4; RFC 3986 §3.2, §7.6; RFC 6761 §6.3, RFC 6762 §3 and app. G.
std::optional<UrlRefusal> judge_url(std::string_view text, const UrlRules& rules);

/// Returns the name, in ASCII, that a client of the URL looks up; nothing for an address.
/// Input: a URL that `judge_url` allows.
std::optional<std::string> name_to_look_up(std::string_view text);

/// Whether a URL certainly leads to a host that the rules do not name. All parsers agree on its
/// spelling, and no pattern matches its host.
bool leads_elsewhere(std::string_view text, const UrlRules& rules);

/// Whether the rules allow an address of that class, from any source. Link-local, metadata,
/// multicast, reserved and translated addresses are never allowed.
bool may_reach(AddressClass kind, const UrlRules& rules);

/// The stable code: `url_ambiguous`.
std::string_view text(UrlRefusal refusal);

}  // namespace bartizan
