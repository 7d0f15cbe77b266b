#pragma once

#include <vector>

#include "config/config.h"
#include "policy/diff/diff_callers.h"
#include "policy/diff/diff_targets.h"
#include "policy/diff/target_entries.h"

namespace bartizan {

/// Where two configurations can say different things about calls at all. Most of a policy stays as
/// it is from one version to the next, and need not be asked about.
///
/// Lifetime: views the entries, and both configurations.
class DiffScope {
 public:
  DiffScope(const TargetEntries& older, const TargetEntries& newer);

  /// Whether settings of all calls, and the place that a predicate names, are the same in both.
  /// Forms of URLs, SQL and commands are a part of their predicates.
  bool has_same_ground(const Predicate& predicate) const;
  /// Whether both have the same of the server, and of what was approved of a tool, that predicates
  /// go by: where it runs, and whether the tool may write.
  bool has_same_surroundings(const DiffTarget& target) const;
  /// False only where everything that bears on such calls is the same in both.
  bool may_differ(const DiffCaller& caller, const DiffTarget& target) const;
  /// False only where everything that bears on calls of the target is the same in both, for callers
  /// of whom everything is.
  bool may_differ(const DiffTarget& target) const;
  /// Whether roles and, of a principal, who has them are the same in both.
  bool is_same_caller(const DiffCaller& caller) const;

 private:
  bool is_same_target(const DiffTarget& target) const;
  bool has_same_ground(const DiffTarget& target) const;

  const TargetEntries& older_entries_;
  const TargetEntries& newer_entries_;
  const Config& older_;
  const Config& newer_;
  bool has_same_settings_;
};

/// What the lock file of a configuration keeps of the tool; null where it has no such one.
const PinnedTool* find_pin(const Config& config, const DiffTarget& target);

/// Whether a rule of the configuration, or a profile of the tool's, has a say in such calls.
bool is_about(const RuleConfig& rule, const DiffTarget& target);
bool is_about(const ToolProfile& profile, const DiffTarget& target);
/// All of these that a configuration has, in its order; of many targets, see `TargetEntries`.
std::vector<const ToolProfile*> profiles_about(const Config& config, const DiffTarget& target);

}  // namespace bartizan
