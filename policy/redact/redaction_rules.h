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

/// Where a text comes from, and where it is about to go.
struct RedactionScope {
  Carrier carrier = Carrier::results;
  /// What it is as well: a result may hold requests.
  std::optional<Carrier> also = {};
  std::string_view server = {};  ///< Empty for what the gateway says itself.
  /// Of a tool's result, or of its definition; empty for all else that servers send.
  std::string_view tool = {};
  const Principal* principal = nullptr;  ///< Who would see it; null for the record.
  std::int64_t now = 0;                  ///< Seconds since 1970 UTC.
  /// The request that it answers, which decides what may be left alone in it.
  Answered answered = {};
  /// What the same server said just before, about the same call: `last_words`, of each kind of
  /// notification that may be read on from.
  std::vector<std::string_view> before = {};
  /// How it may still hide what parts a secret.
  Hiding hiding = Hiding::characters;

  /// Whether it is about one of these tools; without any, about everything.
  bool is_of(const std::vector<Glob>& tools) const;
};

/// A `[redact.NAME.keep.NAME]`, compiled.
struct RedactionKeep {
  std::vector<Glob> tools;
  std::vector<char> detectors;  ///< By `DetectorId`, whether it is one of them.
  std::vector<HostPattern> hosts;
  std::vector<std::vector<PointerSegment>> pointers;
  std::int64_t expires = 0;
};

/// A `[redact.NAME]`, compiled.
struct RedactionRule {
  std::string name;
  std::vector<char> detectors;  ///< By `DetectorId`, whether it is one of them.
  std::vector<char> carriers;   ///< By `Carrier`.
  RedactionAction action = RedactionAction::mask;
  std::vector<std::string> roles;
  std::vector<std::string> principals;
  std::vector<Glob> tools;
  std::vector<std::vector<PointerSegment>> pointers;
  std::vector<RedactionKeep> keeps;
};

/// What a configuration takes out of what comes back. Immutable, shared by all workers.
class RedactionRules {
 public:
  /// Never fails: `find_redaction_problems` has looked before.
  /// `database` looks for what they are about; null where nothing is looked for but secrets.
  explicit RedactionRules(const Config& config,
                          std::shared_ptr<const ScanDatabase> database = nullptr);

  /// The rules about that scope, in the order of their names.
  /// Cost: a few comparisons for each rule; what names tools is matched with their globs.
  std::vector<const RedactionRule*> find(const RedactionScope& scope) const;
  /// Those that a configuration may name.
  const DetectorSet& detectors() const { return detectors_; }
  const std::shared_ptr<const ScanDatabase>& database() const { return database_; }

 private:
  DetectorSet detectors_;
  std::shared_ptr<const ScanDatabase> database_;
  std::vector<RedactionRule> rules_;
};

/// What is wrong or doubtful with a configuration's redactions: names of detectors that there are
/// none of, hosts that are no patterns, and exceptions that except nothing.
std::vector<ConfigProblem> find_redaction_problems(const Config& config);

}  // namespace bartizan
