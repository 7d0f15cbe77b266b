#pragma once

#include <vector>

#include "config/config.h"
#include "policy/diff/diff_callers.h"
#include "policy/diff/diff_targets.h"
#include "policy/diff/target_entries.h"

namespace bartizan {

/// The callers and targets for which two configurations can decide differently. Most of a policy is
/// the same from one version to the next, so that most calls need no comparison.
///
/// Lifetime: views the entries, and both configurations.
class DiffScope {
 public:
  DiffScope(const TargetEntries& older, const TargetEntries& newer);

  /// Whether both have the same settings for all calls, and the same place that a predicate names.
  /// Forms of URLs, SQL and commands are part of their predicates.
  bool has_same_ground(const Predicate& predicate) const;
  /// Whether both have the same server (working directory and trust) and the same pinned definition
  /// of a tool. Predicates depend on both.
  bool has_same_surroundings(const DiffTarget& target) const;
  /// False only if everything that affects such calls is the same in both.
  bool may_differ(const DiffCaller& caller, const DiffTarget& target) const;
  /// False only if everything that affects calls of the target is the same in both. The caller must
  /// be the same in both, too.
  bool may_differ(const DiffTarget& target) const;
  /// Whether the role is the same in both; for a principal, whether the principal and its roles
  /// are.
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

/// The pinned tool in the lock file of a configuration; null if there is none.
const PinnedTool* find_pin(const Config& config, const DiffTarget& target);

/// Whether the rule, or the profile of a tool, applies to calls of the target.
bool is_about(const RuleConfig& rule, const DiffTarget& target);
bool is_about(const ToolProfile& profile, const DiffTarget& target);
/// All profiles of a configuration that apply, in its order. For many targets, use `TargetEntries`.
std::vector<const ToolProfile*> profiles_about(const Config& config, const DiffTarget& target);

}  // namespace bartizan
