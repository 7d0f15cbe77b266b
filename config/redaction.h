#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/gitleaks_rule.h"
#include "config/position.h"

namespace bartizan {

/// The kind of message or text that may have a secret in it.
enum class Carrier : std::uint8_t {
  results,        ///< Results of servers.
  errors,         ///< Errors of servers.
  notifications,  ///< Progress, log messages, updates.
  requests,       ///< Requests of servers to clients: sampling, elicitation.
  definitions,    ///< Definitions of servers: tools, prompts, resources, instructions.
  records,        ///< Record entries beyond digests, and log lines about calls.
  arguments,      ///< Arguments of clients to tools; not a default.
};
inline constexpr std::size_t kCarrierCount = 7;

/// The carrier as `in` spells it.
std::string_view text(Carrier carrier);

/// The action on a finding, from the weakest to the strongest. If several rules match, the
/// strongest applies.
enum class RedactionAction : std::uint8_t {
  observe,   ///< The text passes; the finding is recorded.
  tokenise,  ///< A token replaces the value. Its server gets the value back for it.
  hash,  ///< A keyed hash replaces the value. Equal values have equal hashes within one process.
  mask,  ///< The detector's name replaces the value.
  drop,  ///< The whole string is emptied.
  withhold,  ///< The whole message is withheld.
};

/// The action as `action` spells it.
std::string_view text(RedactionAction action);

/// `[redact.NAME.keep.NAME]`: an exception from its rule.
struct RedactionException {
  std::string name = {};
  std::vector<std::string> tools = {};      ///< Globs; empty: all tools of the rule.
  std::vector<std::string> detectors = {};  ///< Names, families, `github.*`; never empty.
  /// Hosts of the found URL, or of the URL around the finding. Empty: any, also without a URL.
  std::vector<std::string> hosts = {};
  /// Into the result, the error or the parameters, with `*` for elements; empty: anywhere.
  std::vector<std::string> pointers = {};
  std::int64_t expires = 0;  ///< Expiry in seconds since 1970 UTC.
  std::string because = {};  ///< For later readers.
  Position where = {};
  Position detectors_where = {};
  Position hosts_where = {};
};

/// `[redact.NAME]`
struct RedactionConfig {
  std::string name = {};
  std::vector<std::string> detectors = {};  ///< Names, families, `github.*`; never empty.
  std::vector<Carrier> in = {};             ///< Never empty; default: all except `arguments`.
  RedactionAction action = RedactionAction::mask;
  std::vector<std::string> roles = {};  ///< Roles of the receiving principal; empty: everyone.
  /// Receiving principals. Without these and without roles: everyone.
  std::vector<std::string> principals = {};
  /// Globs of the tools whose messages are checked; empty: everything that servers send.
  std::vector<std::string> tools = {};
  /// Into the result, the error or the parameters, with `*` for elements; empty: anywhere.
  std::vector<std::string> pointers = {};
  std::map<std::string, RedactionException> keep = {};
  Position where = {};
  Position detectors_where = {};
};

/// `[detector.NAME]`: the operator's own detector, `custom.NAME`. Each rule of a gitleaks file is a
/// detector `custom.NAME.ID`. Exactly one of pattern, words and rules is set.
struct DetectorConfig {
  std::string name = {};
  std::string pattern = {};                        ///< RE2, on any part of a string.
  std::vector<std::string> words = {};             ///< Whole words, in any case.
  std::vector<GitleaksRule> rules = {};            ///< From the file that `gitleaks` names.
  std::vector<GitleaksAllowlist> allowlists = {};  ///< From the same file.
  Position where = {};
  Position pattern_where = {};
};

/// The default of `[redact.secrets]`: secrets are masked everywhere.
RedactionConfig default_redaction();

}  // namespace bartizan
