#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "policy/access/access_table.h"
#include "policy/access/rule_set.h"
#include "policy/verdict/call.h"
#include "policy/verdict/tri_state.h"

namespace bartizan {

/// The answer of one entry of `when` or `unless`.
struct EntryAnswer {
  std::string entry = {};  ///< A pointer, or the name of a fact.
  TriState answer = TriState::undecidable;
};

/// The answer of one rule to a call of a target that it names.
struct RuleAnswer {
  const RuleConfig* rule = nullptr;
  bool is_about_caller = false;
  bool has_expired = false;
  std::vector<EntryAnswer> when = {}, unless = {};  ///< Empty if the rule is not about the caller.
  bool matches = false;
};

/// Asks rules one by one, to explain a decision. The answers of `AccessTable` and `RuleSet` for one
/// rule are those that they use for all rules together.
///
/// Lifetime: views the configuration.
/// Cost:     two tables for each rule, and one question to each.
class RuleTracer {
 public:
  explicit RuleTracer(const Config& config);

  /// The rules about the target of the call, in the order of their names: whether each matches, and
  /// what prevents it.
  std::vector<RuleAnswer> answers(const Call& call) const;

 private:
  struct OneRule {
    const RuleConfig* rule;
    AccessTable of_anyone;  ///< The rule without conditions, for everyone.
    AccessTable of_caller;  ///< The rule without conditions.
  };

  const Config& config_;
  RuleSet rules_;
  std::vector<OneRule> each_;  ///< Numbered as in `rules_`.
};

}  // namespace bartizan
