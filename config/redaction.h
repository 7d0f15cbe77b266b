#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/gitleaks_rule.h"
#include "config/position.h"

namespace bartizan {

/// What a text is a part of that may hold a secret.
enum class Carrier : std::uint8_t {
  results,        ///< What servers answer.
  errors,         ///< … and their errors.
  notifications,  ///< Progress, log messages, updates.
  requests,       ///< What servers ask of clients: sampling, elicitation.
  definitions,    ///< What servers say of themselves: tools, prompts, resources, instructions.
  records,        ///< What the record says of a call beside digests, and log lines of one.
  arguments,      ///< What clients send to tools; never by default.
};
inline constexpr std::size_t kCarrierCount = 7;

/// As `in` writes it.
std::string_view text(Carrier carrier);

/// What becomes of a place where something was found, from the weakest to the strongest: of several
/// rules the strongest counts.
enum class RedactionAction : std::uint8_t {
  observe,   ///< It passes, and is on record.
  tokenise,  ///< A token stands in its place, for which its server gets the value back.
  hash,      ///< A keyed hash stands in its place, the same for the same value in one process.
  mask,      ///< The detector's name stands in its place.
  drop,      ///< Nothing stands in the place of the string that it is in.
  withhold,  ///< Nothing of the message passes.
};

/// As `action` writes it.
std::string_view text(RedactionAction action);

/// `[redact.NAME.keep.NAME]`: what the rule that it stands in lets pass.
struct RedactionException {
  std::string name = {};
  std::vector<std::string> tools = {};      ///< Globs; empty is everything that the rule is about.
  std::vector<std::string> detectors = {};  ///< Names, families, `github.*`; never empty.
  /// Of the URL that was found or that it stands in; empty is any, also where there is no URL.
  std::vector<std::string> hosts = {};
  /// Into the result, the error or the parameters, with `*` for elements; empty is anywhere.
  std::vector<std::string> pointers = {};
  std::int64_t expires = 0;  ///< Seconds since 1970 UTC from which on it lets nothing pass.
  std::string because = {};  ///< For whoever reads it later.
  Position where = {};
  Position detectors_where = {};
  Position hosts_where = {};
};

/// `[redact.NAME]`
struct RedactionConfig {
  std::string name = {};
  std::vector<std::string> detectors = {};  ///< Names, families, `github.*`; never empty.
  std::vector<Carrier> in = {};             ///< Never empty: all of them by default.
  RedactionAction action = RedactionAction::mask;
  std::vector<std::string> roles = {};  ///< Of the principal that would see it; empty is everyone.
  /// Names of principals that would see it. Without these and without roles, it is everyone.
  std::vector<std::string> principals = {};
  /// Globs: only what comes from these tools; empty is everything that servers send.
  std::vector<std::string> tools = {};
  /// Into the result, the error or the parameters, with `*` for elements; empty is anywhere.
  std::vector<std::string> pointers = {};
  std::map<std::string, RedactionException> keep = {};
  Position where = {};
  Position detectors_where = {};
};

/// `[detector.NAME]`: something of the operator's that is to be found, as `custom.NAME`, or each
/// rule of a file of gitleaks' as `custom.NAME.ID`. Exactly one of the three is set.
struct DetectorConfig {
  std::string name = {};
  std::string pattern = {};                        ///< RE2, on any part of a string.
  std::vector<std::string> words = {};             ///< As whole words, whatever their case.
  std::vector<GitleaksRule> rules = {};            ///< Of the file that `gitleaks` names.
  std::vector<GitleaksAllowlist> allowlists = {};  ///< Of the same file.
  Position where = {};
  Position pattern_where = {};
};

/// `[redact.secrets]` as it stands where nobody wrote it: secrets are masked, wherever they are.
RedactionConfig default_redaction();

}  // namespace bartizan
