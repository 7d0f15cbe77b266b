#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "policy/content/opaque_values.h"
#include "policy/detect/detector_set.h"
#include "policy/text/argument_pointer.h"
#include "policy/text/match.h"
#include "policy/text/revealed_text.h"
#include "policy/url/host_pattern.h"
#include "policy/verdict/principal.h"

namespace bartizan {

class ScanDatabase;

/// The origin of a text and its destination.
struct RedactionScope {
  Carrier carrier = Carrier::results;
  /// A second carrier: a result may contain requests.
  std::optional<Carrier> also = {};
  std::string_view server = {};  ///< Empty for the gateway's own texts.
  /// The tool of a result or definition; empty for everything else that servers send.
  std::string_view tool = {};
  const Principal* principal = nullptr;  ///< The recipient; null for the record.
  std::int64_t now = 0;                  ///< Seconds since 1970 UTC.
  /// The request that it answers. It decides which values are opaque.
  Answered answered = {};
  /// Earlier texts of the same server about the same call, which this one may continue:
  /// `last_words` of each kind of notification.
  std::vector<std::string_view> before = {};
  /// How the text may still hide the separators of a secret.
  Hiding hiding = Hiding::characters;

  /// Whether one of these globs matches the tool. No globs match everything.
  bool is_of(const std::vector<Glob>& tools) const;
};

/// A `[redact.NAME.keep.NAME]`, compiled.
struct RedactionKeep {
  std::vector<Glob> tools;
  std::vector<char> detectors;  ///< For each `DetectorId`, whether it is kept.
  std::vector<HostPattern> hosts;
  std::vector<std::vector<PointerSegment>> pointers;
  std::int64_t expires = 0;
};

/// A `[redact.NAME]`, compiled.
struct RedactionRule {
  std::string name;
  std::vector<char> detectors;  ///< For each `DetectorId`, whether the rule is about it.
  std::vector<char> carriers;   ///< By `Carrier`.
  RedactionAction action = RedactionAction::mask;
  std::vector<std::string> roles;
  std::vector<std::string> principals;
  std::vector<Glob> tools;
  std::vector<std::vector<PointerSegment>> pointers;
  std::vector<RedactionKeep> keeps;
};

/// The redactions of a configuration. Immutable, shared by all workers.
class RedactionRules {
 public:
  /// Never fails: `find_redaction_problems` reports errors earlier. `database` has the detectors of
  /// the configuration. Null means secrets only.
  explicit RedactionRules(const Config& config,
                          std::shared_ptr<const ScanDatabase> database = nullptr);

  /// Returns the rules for that scope, sorted by name.
  /// Cost: a few comparisons for each rule, and a match for each glob of tools.
  std::vector<const RedactionRule*> find(const RedactionScope& scope) const;
  /// The detectors that the configuration may name.
  const DetectorSet& detectors() const { return detectors_; }
  const std::shared_ptr<const ScanDatabase>& database() const { return database_; }

 private:
  DetectorSet detectors_;
  std::shared_ptr<const ScanDatabase> database_;
  std::vector<RedactionRule> rules_;
};

/// Errors and warnings about a configuration's redactions: unknown detectors, invalid host
/// patterns, and exceptions without an effect.
std::vector<ConfigProblem> find_redaction_problems(const Config& config);

}  // namespace bartizan
