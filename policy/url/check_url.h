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

/// Which URLs may be given to a server. What is not named is refused.
struct UrlRules {
  std::vector<std::string> schemes = {};  ///< Lower case: `https`.
  std::vector<HostPattern> hosts = {};
  std::vector<std::uint16_t> ports = {};  ///< Empty: the port of the scheme alone.
  /// Also the machine itself, private and shared networks, and names that such networks give.
  bool allow_private = false;
  bool resolve = false;  ///< Every address that a name leads to must be one that may be reached.
};

/// The rules that a configuration writes. A pattern that is none, which `find_policy_problems` has
/// reported, matches nothing.
UrlRules compile_url_rules(const UrlForm& form);

/// Why a URL is refused.
enum class UrlRefusal : std::uint8_t {
  malformed,    ///< No URL, or one whose host no resolver knows.
  ambiguous,    ///< A spelling that readers of URLs take for different hosts, or mend.
  scheme,       ///< Not one of the rules' schemes.
  credentials,  ///< With a name or a password, be they empty.
  host,         ///< No host, or one that no pattern matches.
  port,         ///< Not one of the rules' ports.
  address,      ///< An address, or a name, that is not of the Internet.
};

/// Whether a server may be given a URL, from its text alone: nothing where it may.
///
/// The server reads the text with a reader of its own. So a URL passes only where it says what it
/// is to all of them: no blanks, controls and backslashes, one `//`, a host spelled as it will be
/// looked up (letter case apart; a name in another script in lower case and composed form, without
/// the four characters that IDNA 2003 and 2008 map to different names), and no `@` behind a host
/// that `?` or `#` ends.
///
/// Names are not looked up here: see `name_to_look_up`.
///
/// Cost:   that of `read_url`, and one glob for each pattern of a host.
/// Source: CWE-918; WHATWG URL §4; RFC 3986 §3.2, §7.6; RFC 6761 §6.3, RFC 6762 §3 and app. G.
std::optional<UrlRefusal> judge_url(std::string_view text, const UrlRules& rules);

/// The name, in ASCII, that whoever follows a URL looks up; nothing where it has an address.
/// Input: what `judge_url` lets pass.
std::optional<std::string> name_to_look_up(std::string_view text);

/// Whether a URL certainly leads to another host than the rules name: it is spelled in the one way
/// in which all readers take it, and no pattern matches its host.
bool leads_elsewhere(std::string_view text, const UrlRules& rules);

/// Whether the rules let a URL lead to an address, wherever it was learned. Link-local, metadata,
/// multicast, reserved and translated addresses are never let through.
bool may_reach(AddressClass kind, const UrlRules& rules);

/// The stable code: `url_ambiguous`.
std::string_view text(UrlRefusal refusal);

}  // namespace bartizan
