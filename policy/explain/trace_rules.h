#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "policy/access/access_table.h"
#include "policy/access/rule_set.h"
#include "policy/verdict/call.h"
#include "policy/verdict/tri_state.h"

namespace bartizan {

/// One entry of `when` or `unless`, asked by itself.
struct EntryAnswer {
  std::string entry = {};  ///< A pointer, or the name of a fact.
  TriState answer = TriState::undecidable;
};

/// What one rule says of a call that is about what the rule names.
struct RuleAnswer {
  const RuleConfig* rule = nullptr;
  bool is_about_caller = false;
  bool has_expired = false;
  std::vector<EntryAnswer> when = {}, unless = {};  ///< Where it is about the caller.
  bool matches = false;
};

/// Asks rules one by one, to tell why a call was decided as it was: what `AccessTable` and
/// `RuleSet` say of one rule is what they go by when they have all.
///
/// Lifetime: views the configuration.
/// Cost:     two tables for each rule, and a question to each.
class RuleTracer {
 public:
  explicit RuleTracer(const Config& config);

  /// The rules about what the call is for, in the order of their names: which match, and what keeps
  /// the others from it.
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
