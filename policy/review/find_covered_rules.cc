#include "policy/review/find_covered_rules.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/load/call_json.h"
#include "config/problems.h"
#include "config/same_entry.h"
#include "policy/access/rule_set.h"
#include "policy/review/example_call.h"
#include "policy/text/glob_index.h"
#include "policy/text/match.h"
#include "schemas/base/keep_each_once.h"

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

/// A rule, with its compiled patterns.
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

/// The rules of one effect, by target and subject.
class RulesByTarget {
 public:
  /// Adds a rule. Returns the number of steps.
  std::size_t add(const ReadRule& rule, std::uint32_t number) {
    const auto add_to = [&](const std::string& subject) {
      GlobIndex& index = rules_[{rule.config->target, subject}];
      for (const Glob& glob : rule.globs)
        index.add(glob.pattern(), number);
    };
    if (names_everyone(*rule.config)) {
      add_to(kEveryone);
      return rule.globs.size();
    }
    for (const std::string& role : rule.config->roles)
      add_to(of_role(role));
    for (const std::string& id : rule.config->principals)
      add_to(of_principal(id));
    return rule.globs.size() * (rule.config->roles.size() + rule.config->principals.size());
  }

  /// Adds the numbers of rules about the pattern that name the subject, and of a few others.
  void search(RuleTarget target, const std::string& subject, const Glob& pattern,
              std::vector<std::uint32_t>& numbers) const {
    const auto found = rules_.find(std::pair(target, subject));
    if (found == rules_.end()) return;
    found->second.search(pattern.pattern(),
                         [&numbers](std::uint32_t number) { numbers.push_back(number); });
  }

  static inline const std::string kEveryone = {};
  static std::string of_role(const std::string& role) { return "r" + role; }
  static std::string of_principal(const std::string& id) { return "p" + id; }

 private:
  std::map<std::pair<RuleTarget, std::string>, GlobIndex> rules_;
};

/// Compares permits with the other rules about the same targets.
class Review {
 public:
  Review(const Config& config, std::size_t steps_max) : config_(config), steps_left_(steps_max) {
    rules_.reserve(config.rules.size());
    for (const auto& [name, rule] : config.rules) {
      const auto number = static_cast<std::uint32_t>(rules_.size());
      const ReadRule& read = rules_.emplace_back(rule);
      const bool forbids = rule.effect == Effect::forbid && !rule.observe && !is_conditional(rule);
      if (rule.effect == Effect::permit) take_steps(permits_.add(read, number));
      if (forbids) take_steps(forbids_.add(read, number));
      if (steps_left_ == 0) return;
    }
  }

  std::vector<ConfigProblem> run() && {
    std::size_t reviewed = 0;
    for (const ReadRule& rule : rules_) {
      if (steps_left_ > 0 && rule.config->effect == Effect::permit) {
        review_shadowed(rule);
        review_covered(rule);
      }
      if (steps_left_ == 0) break;
      ++reviewed;
    }
    if (steps_left_ == 0) tell_stopped(reviewed);
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

  /// Whether `rule` surely names all callers of `other`.
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

  void take_steps(std::size_t steps) { steps_left_ -= std::min(steps, steps_left_); }

  void tell_stopped(std::size_t reviewed) {
    problems_.push_back(
        {.severity = ConfigProblem::Severity::warning,
         .where = text(config_, {.file = 0, .line = 1, .column = 1}),
         .message = "advice stopped after " + std::to_string(reviewed) + " of " +
                    std::to_string(config_.rules.size()) +
                    " rules: the remaining rules were not checked for having no effect",
         .hint = {}});
  }

  /// Subjects to search, one of each kind, under which a rule for all callers of this one is found.
  std::vector<std::string> subjects_to_search(const RuleConfig& rule) const {
    std::vector<std::string> subjects{RulesByTarget::kEveryone};
    if (names_everyone(rule)) return subjects;
    if (!rule.roles.empty()) subjects.push_back(RulesByTarget::of_role(rule.roles.front()));
    if (rule.principals.empty()) return subjects;
    subjects.push_back(RulesByTarget::of_principal(rule.principals.front()));
    const auto found = config_.principals.find(rule.principals.front());
    if (found == config_.principals.end()) return subjects;
    for (const std::string& role : found->second.roles)
      subjects.push_back(RulesByTarget::of_role(role));
    return subjects;
  }

  /// The rules that could match one of the patterns of a permit and name all of its callers, in the
  /// order of their names.
  std::vector<std::uint32_t> search(const RulesByTarget& among, const ReadRule& permit,
                                    std::span<const Glob> patterns) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& subject : subjects_to_search(*permit.config)) {
      for (const Glob& pattern : patterns)
        among.search(permit.config->target, subject, pattern, numbers);
      take_steps(patterns.size());
    }
    keep_each_once(numbers);
    return numbers;
  }

  /// Counts the comparison of two rules: each pattern of one with each of the other.
  void take_steps_for(const ReadRule& one, const ReadRule& other) {
    take_steps(one.globs.size() * other.globs.size());
  }

  /// Reports a permit that can never permit, because one forbid covers all its targets.
  void review_shadowed(const ReadRule& permit) {
    const std::span<const Glob> first(permit.globs.data(),
                                      std::min<std::size_t>(1, permit.globs.size()));
    for (const std::uint32_t number : search(forbids_, permit, first)) {
      const ReadRule& forbid = rules_[number];
      take_steps_for(forbid, permit);
      if (steps_left_ == 0) return;
      if (!names_all_of(*forbid.config, *permit.config) || !forbid.covers_all(permit)) continue;
      return warn(*permit.config,
                  " never permits: rule " + quote(forbid.config->name) + " forbids all of it", {});
    }
  }

  /// Another permit whose conditions are no stricter.
  struct Other {
    const ReadRule* rule;
    bool goes_back;  ///< The permit is no stricter either.
    bool has_all;    ///< Its patterns cover all of the permit's.
    bool is_within;  ///< The permit's patterns cover all of its, and `goes_back`.
  };

  std::vector<Other> find_others(const ReadRule& permit) {
    std::vector<Other> others;
    for (const std::uint32_t number : search(permits_, permit, permit.globs)) {
      const ReadRule& one = rules_[number];
      const RuleConfig& rule = *one.config;
      take_steps_for(one, permit);
      if (steps_left_ == 0) return {};
      if (&one == &permit || !asks_no_more(rule, *permit.config)) continue;
      const bool goes_back = asks_no_more(*permit.config, rule);
      others.push_back({.rule = &one,
                        .goes_back = goes_back,
                        .has_all = one.covers_all(permit),
                        .is_within = goes_back && permit.covers_all(one)});
    }
    return others;
  }

  /// Reports a permit that another one covers, so that its conditions have no effect. An example is
  /// a learned rule beside the permit that it should replace.
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
    // If both have conditions, they are the same, and have an effect.
    const bool asks_in_vain = is_conditional(*permit.config) && !is_conditional(*wider);
    warn(*permit.config,
         (asks_in_vain ? " has conditions without effect where it permits "
                       : " adds nothing where it permits ") +
             what + ": covered by the wider permit rule." + wider->name + " at " +
             text(config_, wider->where),
         covered.size() == permit.globs.size() ? "take one of the two out"
                                               : "take these out of one of the two");
  }

  /// Whether `rule` permits everything that `other` permits for the same names.
  bool asks_no_more(const RuleConfig& rule, const RuleConfig& other) const {
    const bool lasts =
        !rule.expires.has_value() || (other.expires.has_value() && *other.expires <= *rule.expires);
    const bool asks_nothing = !is_conditional(rule) || (is_same(rule.when, other.when) &&
                                                        is_same(rule.unless, other.unless));
    return lasts && asks_nothing && names_all_of(rule, other);
  }

  /// Whether the other permit covers `permit` for one pattern. If both cover it alike, the one with
  /// more patterns is the wider one, or else the first by name.
  static bool is_wider(const Other& other, const ReadRule& permit, const Glob& pattern) {
    if (!other.rule->covers(pattern)) return false;
    if (other.has_all != other.is_within) return other.has_all;
    const bool is_same_pattern = std::ranges::find(other.rule->globs, pattern.pattern(),
                                                   &Glob::pattern) != other.rule->globs.end();
    return !other.goes_back || !is_same_pattern || other.rule->config->name < permit.config->name;
  }

  const Config& config_;
  std::size_t steps_left_;
  std::vector<ReadRule> rules_;
  RulesByTarget permits_;
  RulesByTarget forbids_;  ///< Those that forbid any arguments.
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_covered_rules(const Config& config, std::size_t steps_max) {
  return Review(config, steps_max).run();
}

}  // namespace bartizan
