#include "policy/find_covered_rules.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/call_json.h"
#include "config/problems.h"
#include "config/same_entry.h"
#include "policy/match.h"
#include "policy/rule_set.h"
#include "policy/witness.h"

namespace bartizan {
namespace {

bool includes_all(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return !some.empty() && std::ranges::all_of(some, [&](const std::string& name) {
    return std::ranges::find(all, name) != all.end();
  });
}

bool is_conditional(const RuleConfig& rule) {
  return !rule.when.empty() || !rule.unless.empty();
}

bool covers(const RuleConfig& rule, const std::string& pattern) {
  return std::ranges::any_of(rule.patterns, [&pattern](const std::string& wider) {
    return Glob(wider).covers(Glob(pattern));
  });
}

bool covers_all(const RuleConfig& rule, const RuleConfig& other) {
  return !other.patterns.empty() &&
         std::ranges::all_of(other.patterns,
                             [&rule](const std::string& pattern) { return covers(rule, pattern); });
}

/// Holds permits against the other rules about the same.
class Review {
 public:
  explicit Review(const Config& config) : config_(config) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, rule] : config_.rules) {
      if (rule.effect != Effect::permit) continue;
      review_shadowed(rule);
      review_covered(rule);
    }
    return std::move(problems_);
  }

 private:
  void warn(const RuleConfig& rule, const std::string& message, std::string hint) {
    problems_.push_back({.severity = ConfigProblem::Severity::warning,
                         .where = text(config_, rule.where),
                         .message = "rule " + quote(rule.name) + message,
                         .hint = std::move(hint),
                         .example = call_json(witness_of(config_, rule))});
  }

  /// Whether whoever `other` names is surely named by `rule`.
  bool names_all_of(const RuleConfig& rule, const RuleConfig& other) const {
    if (names_everyone(rule)) return true;
    if (names_everyone(other)) return false;
    const auto has_role = [&](const std::string& id) {
      const auto found = config_.principals.find(id);
      return found != config_.principals.end() &&
             std::ranges::find_first_of(found->second.roles, rule.roles) !=
                 found->second.roles.end();
    };
    return includes_all(rule.roles, other.roles) ||
           includes_all(rule.principals, other.principals) ||
           (!other.principals.empty() && std::ranges::all_of(other.principals, has_role));
  }

  /// A permit that can never permit, because one forbid takes in all that it names.
  void review_shadowed(const RuleConfig& permit) {
    const auto forbid = std::ranges::find_if(config_.rules, [&](const auto& entry) {
      const RuleConfig& rule = entry.second;
      return rule.effect == Effect::forbid && !rule.observe && !is_conditional(rule) &&
             rule.target == permit.target && names_all_of(rule, permit) && covers_all(rule, permit);
    });
    if (forbid == config_.rules.end()) return;
    warn(permit, " never permits: rule " + quote(forbid->first) + " forbids all of it", {});
  }

  /// A permit of what another one permits as well: whatever it asks for beside names is then asked
  /// of nobody. So stands a learned rule beside the permit whose place it was to take.
  void review_covered(const RuleConfig& permit) {
    const RuleConfig* wider = nullptr;
    std::vector<std::string> covered;
    for (const std::string& pattern : permit.patterns) {
      const auto found = std::ranges::find_if(config_.rules, [&](const auto& entry) {
        return is_wider(entry.second, permit, pattern);
      });
      if (found == config_.rules.end()) continue;
      if (wider == nullptr) wider = &found->second;
      covered.push_back(pattern);
    }
    if (wider == nullptr) return;
    const std::size_t more = covered.size() - 1;
    const std::string what =
        quote(covered.front()) + (more == 0 ? "" : " and " + std::to_string(more) + " more");
    warn(permit,
         (is_conditional(permit) ? " asks in vain where it permits "
                                 : " adds nothing where it permits ") +
             what + ": covered by the wider permit rule." + wider->name + " at " +
             text(config_, wider->where),
         covered.size() == permit.patterns.size() ? "take one of the two out"
                                                  : "take these out of one of the two");
  }

  /// Whether `rule` permits whatever `other` permits by names that it has.
  bool asks_no_more(const RuleConfig& rule, const RuleConfig& other) const {
    const bool lasts =
        !rule.expires.has_value() || (other.expires.has_value() && *other.expires <= *rule.expires);
    const bool asks_nothing = !is_conditional(rule) || (is_same(rule.when, other.when) &&
                                                        is_same(rule.unless, other.unless));
    return lasts && asks_nothing && names_all_of(rule, other);
  }

  /// Whether `rule` permits all that `permit` does by a pattern of its. Of two that say the same of
  /// it, the one that says more is the wider one, or else the first by name.
  bool is_wider(const RuleConfig& rule, const RuleConfig& permit,
                const std::string& pattern) const {
    if (rule.effect != Effect::permit || &rule == &permit || rule.target != permit.target ||
        !asks_no_more(rule, permit) || !covers(rule, pattern))
      return false;
    const bool goes_back = asks_no_more(permit, rule);
    const bool has_all = covers_all(rule, permit);
    const bool is_within = goes_back && covers_all(permit, rule);
    if (has_all != is_within) return has_all;
    const bool is_same_pattern = std::ranges::find(rule.patterns, pattern) != rule.patterns.end();
    return !goes_back || !is_same_pattern || rule.name < permit.name;
  }

  const Config& config_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_covered_rules(const Config& config) {
  return Review(config).run();
}

}  // namespace bartizan
