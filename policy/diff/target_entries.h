#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/diff/diff_targets.h"
#include "policy/text/glob_index.h"
#include "schemas/message/method.h"

namespace bartizan {

/// The rules and profiles of one configuration, indexed by target. A look-up for one target costs
/// no more than the number of entries that it finds.
///
/// Lifetime: views the configuration.
class TargetEntries {
 public:
  explicit TargetEntries(const Config& config);

  const Config& config() const { return config_; }
  /// All that apply to calls of the target (`is_about`), in the order of the configuration.
  std::vector<const RuleConfig*> rules_about(const DiffTarget& target) const;
  std::vector<const ToolProfile*> profiles_about(const DiffTarget& target) const;
  /// Whether a rule lets a holder of the role approve calls.
  bool is_approver(const std::string& role) const { return approvers_.contains(role); }
  /// Whether a rule names that principal as an approver.
  bool is_approving_principal(const std::string& id) const {
    return approving_principals_.contains(id);
  }

 private:
  const Config& config_;
  std::vector<const RuleConfig*> rules_;
  std::map<TargetKind, GlobIndex> by_pattern_;  ///< Rules about tools and prompts, by number.
  /// Rules about all targets of a kind.
  std::map<TargetKind, std::vector<std::uint32_t>> of_all_;
  std::vector<std::uint32_t> of_methods_;
  GlobIndex profiles_;
  std::set<std::string> approvers_;
  std::set<std::string> approving_principals_;
};

}  // namespace bartizan
