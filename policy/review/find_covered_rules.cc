#include "policy/review/find_covered_rules.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/load/call_json.h"
#include "config/problems.h"
#include "config/same_entry.h"
#include "policy/access/rule_set.h"
#include "policy/review/witness.h"
#include "policy/text/match.h"

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

/// A rule, and what its patterns match.
struct ReadRule {
  explicit ReadRule(const RuleConfig& rule)
      : config(&rule), globs(rule.patterns.begin(), rule.patterns.end()) {}

  bool covers(const Glob& other) const {
    return std::ranges::any_of(globs, [&other](const Glob& glob) { return glob.covers(other); });
  }
  bool covers_all(const ReadRule& other) const {
    return !other.globs.empty() &&
           std::ranges::all_of(other.globs, [this](const Glob& glob) { return covers(glob); });
  }

  const RuleConfig* config;
  std::vector<Glob> globs;
};

/// Holds permits against the other rules about the same.
class Review {
 public:
  explicit Review(const Config& config) : config_(config) {
    for (const auto& [name, rule] : config.rules)
      rules_.emplace_back(rule);
  }

  std::vector<ConfigProblem> run() && {
    for (const ReadRule& rule : rules_) {
      if (rule.config->effect != Effect::permit) continue;
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
  void review_shadowed(const ReadRule& permit) {
    const auto forbid = std::ranges::find_if(rules_, [&](const ReadRule& one) {
      const RuleConfig& rule = *one.config;
      return rule.effect == Effect::forbid && !rule.observe && !is_conditional(rule) &&
             rule.target == permit.config->target && names_all_of(rule, *permit.config) &&
             one.covers_all(permit);
    });
    if (forbid == rules_.end()) return;
    warn(*permit.config,
         " never permits: rule " + quote(forbid->config->name) + " forbids all of it", {});
  }

  /// Another permit that asks no more than one does.
  struct Other {
    const ReadRule* rule;
    bool goes_back;  ///< Nor does the one ask more than it.
    bool has_all;    ///< Its patterns cover all of those of the one, …
    bool is_within;  ///< … which cover all of its, and ask no more.
  };

  std::vector<Other> find_others(const ReadRule& permit) const {
    std::vector<Other> others;
    for (const ReadRule& one : rules_) {
      const RuleConfig& rule = *one.config;
      if (rule.effect != Effect::permit || &one == &permit ||
          rule.target != permit.config->target || !asks_no_more(rule, *permit.config))
        continue;
      const bool goes_back = asks_no_more(*permit.config, rule);
      others.push_back({.rule = &one,
                        .goes_back = goes_back,
                        .has_all = one.covers_all(permit),
                        .is_within = goes_back && permit.covers_all(one)});
    }
    return others;
  }

  /// A permit of what another one permits as well: whatever it asks for beside names is then asked
  /// of nobody. So stands a learned rule beside the permit whose place it was to take.
  void review_covered(const ReadRule& permit) {
    const std::vector<Other> others = find_others(permit);
    const RuleConfig* wider = nullptr;
    std::vector<std::string> covered;
    for (const Glob& pattern : permit.globs) {
      const auto found = std::ranges::find_if(
          others, [&](const Other& other) { return is_wider(other, permit, pattern); });
      if (found == others.end()) continue;
      if (wider == nullptr) wider = found->rule->config;
      covered.push_back(pattern.pattern());
    }
    if (wider == nullptr) return;
    const std::size_t more = covered.size() - 1;
    const std::string what =
        quote(covered.front()) + (more == 0 ? "" : " and " + std::to_string(more) + " more");
    // Where both ask the same, it is asked.
    const bool asks_in_vain = is_conditional(*permit.config) && !is_conditional(*wider);
    warn(*permit.config,
         (asks_in_vain ? " asks in vain where it permits " : " adds nothing where it permits ") +
             what + ": covered by the wider permit rule." + wider->name + " at " +
             text(config_, wider->where),
         covered.size() == permit.globs.size() ? "take one of the two out"
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

  /// Whether the other one permits all that `permit` does by a pattern of its. Of two that say the
  /// same of it, the one that says more is the wider one, or else the first by name.
  static bool is_wider(const Other& other, const ReadRule& permit, const Glob& pattern) {
    if (!other.rule->covers(pattern)) return false;
    if (other.has_all != other.is_within) return other.has_all;
    const bool is_same_pattern = std::ranges::find(other.rule->globs, pattern.pattern(),
                                                   &Glob::pattern) != other.rule->globs.end();
    return !other.goes_back || !is_same_pattern || other.rule->config->name < permit.config->name;
  }

  const Config& config_;
  std::vector<ReadRule> rules_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_covered_rules(const Config& config) {
  return Review(config).run();
}

}  // namespace bartizan
