#include "policy/access/access_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>

#include "policy/access/rule_set.h"
#include "policy/text/glob_index.h"
#include "policy/text/match.h"
#include "policy/text/qualified_name.h"
#include "policy/url/resource_uri.h"
#include "schemas/base/keep_each_once.h"
#include "schemas/base/text_hash.h"

namespace bartizan {
namespace {

/// Rules are numbered in the order of their names, so the least number is the first name.
constexpr std::uint32_t kNoRule = std::numeric_limits<std::uint32_t>::max();

/// The subject of a rule: everyone, then the roles, then the principals.
using Subject = std::uint32_t;
constexpr Subject kEveryone = 0;

/// The answer of the rules to one subject about one name.
struct Outcome {
  std::uint32_t forbid = kNoRule;
  std::uint32_t approval = kNoRule;
  std::uint32_t permit = kNoRule;
  std::uint32_t hiding = kNoRule;          ///< Of the refusing rules, one that hides the refusal.
  std::vector<std::uint32_t> conditional;  ///< Rules that match depending on their conditions.
  std::vector<std::uint32_t> observed;
  std::size_t comparisons = 0;  ///< Patterns that were tried for this answer.

  std::uint32_t& first(Effect effect) {
    if (effect == Effect::permit) return permit;
    return effect == Effect::forbid ? forbid : approval;
  }
};

/// One rule with a wildcard, for names that were unknown when the table was built.
struct GlobRule {
  Glob glob;
  std::uint32_t rule;
};

template <class Value>
using ByName = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// The rules of one kind of target.
struct Section {
  ByName<std::uint32_t> cells;  ///< `server/name` → number of its cell.
  /// Cell and subject in one key, in one flat table: a cell of any size costs nothing.
  std::unordered_map<std::uint64_t, Outcome> outcomes;
  std::vector<GlobRule> globs;
  GlobIndex index;  ///< Of `globs`, by their places.
};

constexpr std::uint64_t cell_key(std::uint32_t cell, Subject subject) {
  return std::uint64_t{cell} << 32 | subject;
}

std::string_view first_segment(std::string_view text) {
  return text.substr(0, text.find('/'));
}

template <class Map>
std::optional<Subject> subject_in(const Map& map, const std::string& name, std::size_t offset) {
  const auto found = map.find(name);
  if (found == map.end()) return std::nullopt;
  return static_cast<Subject>(offset + static_cast<std::size_t>(std::distance(map.begin(), found)));
}

}  // namespace

struct AccessTable::Compiled {
  RuleSet rules;
  std::vector<std::vector<Subject>> subjects;  ///< Of each rule, sorted.
  std::array<Section, 4> sections;             ///< By TargetKind.
  /// Patterns of servers that rules grant from, each with the time from which on no rule grants.
  std::map<Subject, std::map<std::string, std::int64_t>> servers;
  /// Rules that forbid resources, each with the pattern of its servers.
  std::vector<std::pair<Glob, std::uint32_t>> resource_forbids;
  std::size_t roles = 0;
  bool has_observed = false;
  bool asks_outside = false;

  Compiled(const Config& config, const KnownNames& names);

  Section& section(TargetKind kind) { return sections[static_cast<std::size_t>(kind)]; }
  const Section& section(TargetKind kind) const { return sections[static_cast<std::size_t>(kind)]; }
  Subject subject_of_role(std::uint32_t index) const { return 1 + index; }
  Subject subject_of_principal(std::uint32_t index) const {
    return static_cast<Subject>(1 + roles + index);
  }

  void add_names(TargetKind kind,
                 const std::map<std::string, std::vector<std::string>, std::less<>>& names);
  void add_servers(std::uint32_t rule, const RuleConfig& config);
  bool grants_from(Subject subject, std::string_view server, std::int64_t now) const;
  void add_literals(std::uint32_t rule, const RuleConfig& config);
  void add_globs(std::uint32_t rule, const RuleConfig& config);
  void expand(TargetKind kind);
  void apply(Section& section, std::uint32_t cell, std::uint32_t rule);
  void apply(Outcome& outcome, std::uint32_t rule) const;

  bool speaks_of(std::uint32_t rule, const Principal& principal) const;
  Outcome probe(const Section& section, std::uint32_t cell, const Principal& principal) const;
  Outcome scan(const Section& section, std::string_view name, const Principal& principal) const;
  Outcome look_up(const Section& section, std::string_view name, const Principal& principal) const;
  void settle(Outcome& outcome, const EvalContext& of, const ServerFacts& facts) const;
  void add_match(Outcome& outcome, std::uint32_t rule) const;
  bool could_change(const Outcome& outcome, std::uint32_t rule) const;
  Answer answer(const Outcome& outcome) const;
  Answer answer_malformed(const Principal& principal, std::string_view server,
                          const EvalContext& of) const;
};

namespace {

std::vector<Subject> subjects_of(const Config& config, const RuleConfig& rule) {
  if (names_everyone(rule)) return {kEveryone};
  std::set<Subject> subjects;
  for (const std::string& role : rule.roles) {
    if (const auto subject = subject_in(config.roles, role, 1)) subjects.insert(*subject);
  }
  for (const std::string& id : rule.principals) {
    const auto subject = subject_in(config.principals, id, 1 + config.roles.size());
    if (subject) subjects.insert(*subject);
  }
  return {subjects.begin(), subjects.end()};
}

/// The pattern in its matched form. `*` alone means every method, though names of methods have
/// slashes.
std::string pattern_text(const RuleConfig& rule, const std::string& pattern) {
  if (rule.target == RuleTarget::methods && pattern == "*") return "**";
  return rule.target == RuleTarget::resources ? normal_resource_pattern(pattern) : pattern;
}

std::optional<std::uint32_t> cell_of(const Section& names, std::string_view name) {
  const auto found = names.cells.find(name);
  return found == names.cells.end() ? std::nullopt : std::optional(found->second);
}

void merge(Outcome& all, const Outcome& one) {
  all.forbid = std::min(all.forbid, one.forbid);
  all.approval = std::min(all.approval, one.approval);
  all.permit = std::min(all.permit, one.permit);
  all.hiding = std::min(all.hiding, one.hiding);
  all.conditional.insert(all.conditional.end(), one.conditional.begin(), one.conditional.end());
  all.observed.insert(all.observed.end(), one.observed.begin(), one.observed.end());
}

}  // namespace

AccessTable::Compiled::Compiled(const Config& config, const KnownNames& names)
    : rules(config), roles(config.roles.size()), asks_outside(rules.asks_outside()) {
  add_names(TargetKind::tool, names.tools);
  add_names(TargetKind::prompt, names.prompts);
  for (const auto& [name, rule] : config.rules) {
    const auto number = static_cast<std::uint32_t>(subjects.size());
    subjects.push_back(subjects_of(config, rule));
    has_observed = has_observed || rule.observe;
    add_servers(number, rule);
    add_literals(number, rule);
    add_globs(number, rule);
    if (rule.target != RuleTarget::resources || rule.effect != Effect::forbid) continue;
    for (const std::string& pattern : rule.patterns)
      resource_forbids.emplace_back(Glob(std::string(first_segment(pattern))), number);
  }
  for (const TargetKind kind :
       {TargetKind::none, TargetKind::tool, TargetKind::resource, TargetKind::prompt}) {
    expand(kind);
  }
}

void AccessTable::Compiled::add_names(
    TargetKind kind, const std::map<std::string, std::vector<std::string>, std::less<>>& names) {
  auto& cells = section(kind).cells;
  for (const auto& [server, of_server] : names) {
    for (const std::string& name : of_server) {
      cells.try_emplace(QualifiedName(server, name).text(),
                        static_cast<std::uint32_t>(cells.size()));
    }
  }
}

void AccessTable::Compiled::add_servers(std::uint32_t rule, const RuleConfig& config) {
  if (config.effect == Effect::forbid || config.observe) return;
  if (config.target == RuleTarget::methods) return;
  for (const Subject subject : subjects[rule]) {
    for (const std::string& pattern : config.patterns) {
      std::int64_t& until = servers[subject][std::string(first_segment(pattern))];
      until = std::max(until, rules[rule].expires);
    }
  }
}

bool AccessTable::Compiled::grants_from(Subject subject, std::string_view server,
                                        std::int64_t now) const {
  const auto found = servers.find(subject);
  return found != servers.end() && std::ranges::any_of(found->second, [&](const auto& grant) {
           return now < grant.second && Glob(grant.first).matches(server);
         });
}

void AccessTable::Compiled::add_literals(std::uint32_t rule, const RuleConfig& config) {
  Section& names = section(target_kind(config.target));
  for (const std::string& pattern : config.patterns) {
    const Glob glob(pattern_text(config, pattern));
    if (!glob.is_literal()) continue;
    const auto [cell, added] =
        names.cells.try_emplace(glob.pattern(), static_cast<std::uint32_t>(names.cells.size()));
    apply(names, cell->second, rule);
  }
}

void AccessTable::Compiled::add_globs(std::uint32_t rule, const RuleConfig& config) {
  Section& names = section(target_kind(config.target));
  for (const std::string& pattern : config.patterns) {
    Glob glob(pattern_text(config, pattern));
    if (glob.is_literal()) continue;
    names.index.add(glob.pattern(), static_cast<std::uint32_t>(names.globs.size()));
    names.globs.push_back({std::move(glob), rule});
  }
}

/// Applies the patterns with wildcards to every name that has a cell, whether a server listed it or
/// a rule names it. A name with a cell then needs no patterns.
void AccessTable::Compiled::expand(TargetKind kind) {
  Section& names = section(kind);
  for (const auto& [name, cell] : names.cells) {
    names.index.search(name, [&](std::uint32_t place) {
      const GlobRule& candidate = names.globs[place];
      if (candidate.glob.matches(name)) apply(names, cell, candidate.rule);
    });
  }
}

void AccessTable::Compiled::apply(Section& names, std::uint32_t cell, std::uint32_t rule) {
  for (const Subject subject : subjects[rule]) {
    apply(names.outcomes[cell_key(cell, subject)], rule);
  }
}

void AccessTable::Compiled::apply(Outcome& outcome, std::uint32_t rule) const {
  if (rules[rule].is_observed) {
    // An observed permit would grant something by observation. The loader refuses it, and so does
    // this.
    if (rules[rule].effect != Effect::permit) outcome.observed.push_back(rule);
  } else if (rules[rule].is_conditional()) {
    outcome.conditional.push_back(rule);
  } else {
    add_match(outcome, rule);
  }
}

void AccessTable::Compiled::add_match(Outcome& outcome, std::uint32_t rule) const {
  std::uint32_t& first = outcome.first(rules[rule].effect);
  first = std::min(first, rule);
  const bool hides = rules[rule].info.hide && rules[rule].effect != Effect::permit;
  if (hides) outcome.hiding = std::min(outcome.hiding, rule);
}

bool AccessTable::Compiled::speaks_of(std::uint32_t rule, const Principal& principal) const {
  const std::vector<Subject>& of_rule = subjects[rule];
  const auto has = [&](Subject subject) { return std::ranges::binary_search(of_rule, subject); };
  if (has(kEveryone)) return true;
  if (principal.index && has(subject_of_principal(*principal.index))) return true;
  return std::ranges::any_of(principal.role_indexes,
                             [&](std::uint32_t role) { return has(subject_of_role(role)); });
}

Outcome AccessTable::Compiled::probe(const Section& names, std::uint32_t cell,
                                     const Principal& principal) const {
  Outcome all;
  const auto add = [&](Subject subject) {
    const auto found = names.outcomes.find(cell_key(cell, subject));
    if (found != names.outcomes.end()) merge(all, found->second);
  };
  add(kEveryone);
  for (const std::uint32_t role : principal.role_indexes)
    add(subject_of_role(role));
  if (principal.index) add(subject_of_principal(*principal.index));
  return all;
}

Outcome AccessTable::Compiled::scan(const Section& names, std::string_view name,
                                    const Principal& principal) const {
  Outcome all;
  names.index.search(name, [&](std::uint32_t place) {
    const GlobRule& candidate = names.globs[place];
    ++all.comparisons;
    if (!speaks_of(candidate.rule, principal) || !candidate.glob.matches(name)) return;
    apply(all, candidate.rule);
  });
  return all;
}

Outcome AccessTable::Compiled::look_up(const Section& names, std::string_view name,
                                       const Principal& principal) const {
  const auto cell = cell_of(names, name);
  return cell ? probe(names, *cell, principal) : scan(names, name, principal);
}

/// Whether the answer would change if that rule matched.
bool AccessTable::Compiled::could_change(const Outcome& outcome, std::uint32_t number) const {
  const RuleSet::Rule& rule = rules[number];
  const bool is_refused = outcome.forbid != kNoRule || outcome.approval != kNoRule;
  if (rule.effect == Effect::permit) {
    // A hidden refusal is reported as without the refusing rules, so that a permit still matters.
    const bool is_told = !is_refused || outcome.hiding != kNoRule;
    return is_told && number < outcome.permit;
  }
  if (rule.info.hide && outcome.hiding == kNoRule) return true;
  if (rule.effect == Effect::forbid) return number < outcome.forbid;
  return outcome.forbid == kNoRule && number < outcome.approval;
}

/// Evaluates conditions, those of refusing rules first: if one refuses, no permit is evaluated.
void AccessTable::Compiled::settle(Outcome& outcome, const EvalContext& of,
                                   const ServerFacts& facts) const {
  // Several patterns of a rule, and several roles of the caller, may lead to the same rule.
  keep_each_once(outcome.conditional);
  keep_each_once(outcome.observed);
  for (const Effect effect : {Effect::forbid, Effect::require_approval, Effect::permit}) {
    for (const std::uint32_t rule : outcome.conditional) {
      if (rules[rule].effect != effect || !could_change(outcome, rule)) continue;
      if (rules.matches(rule, of, facts)) add_match(outcome, rule);
    }
  }
  std::erase_if(outcome.observed,
                [&](std::uint32_t rule) { return !rules.matches(rule, of, facts); });
}

AccessTable::Answer AccessTable::Compiled::answer(const Outcome& outcome) const {
  const auto refusal = [&](std::uint32_t rule) {
    const bool forbids = rules[rule].effect == Effect::forbid;
    return Decision::deny(forbids ? Reason::forbidden : Reason::needs_approval, &rules[rule].info);
  };
  Answer answer{Decision::deny(Reason::no_matching_rule), {}, outcome.comparisons};
  if (outcome.forbid != kNoRule) {
    answer.decision = refusal(outcome.forbid);
  } else if (outcome.approval != kNoRule) {
    answer.decision = refusal(outcome.approval);
  } else if (outcome.permit != kNoRule) {
    answer.decision = Decision::permit(&rules[outcome.permit].info);
  }
  answer.decision.is_hidden = outcome.hiding != kNoRule;
  if (outcome.permit == kNoRule) answer.hidden_as = Reason::no_matching_rule;
  for (const std::uint32_t rule : outcome.observed)
    answer.observed.push_back(refusal(rule));
  return answer;
}

/// A URI with several readings can only be refused.
AccessTable::Answer AccessTable::Compiled::answer_malformed(const Principal& principal,
                                                            std::string_view server,
                                                            const EvalContext& of) const {
  Outcome outcome;
  for (const auto& [pattern, rule] : resource_forbids) {
    if (speaks_of(rule, principal) && pattern.matches(server)) apply(outcome, rule);
  }
  settle(outcome, of, rules.facts_of(server, ""));
  Answer malformed = answer(outcome);
  if (outcome.forbid == kNoRule) malformed.decision = Decision::deny(Reason::path_malformed);
  malformed.hidden_as = Reason::path_malformed;
  return malformed;
}

AccessTable::AccessTable(const Config& config, const KnownNames& names)
    : compiled_(std::make_shared<const Compiled>(config, names)) {}

bool AccessTable::has_observed_rules() const {
  return compiled_ && compiled_->has_observed;
}

bool AccessTable::asks_outside() const {
  return compiled_ && compiled_->asks_outside;
}

bool AccessTable::asks_class() const {
  return compiled_ && compiled_->rules.asks_class();
}

std::optional<std::uint32_t> AccessTable::find_cell(TargetKind kind, std::string_view name) const {
  const bool is_name = kind == TargetKind::tool || kind == TargetKind::prompt;
  if (!compiled_ || !is_name) return std::nullopt;
  return cell_of(compiled_->section(kind), name);
}

AccessTable::Answer AccessTable::decide(const Principal& principal, TargetKind kind,
                                        std::string_view server, std::string_view target,
                                        const EvalContext& of,
                                        std::optional<std::uint32_t> cell) const {
  if (!compiled_) return {Decision::deny(Reason::no_matching_rule), {}, 0};
  const Section& names = compiled_->section(kind);
  if (names.cells.empty() && names.globs.empty()) {
    return {Decision::deny(Reason::no_matching_rule), {}, 0};
  }
  std::optional<std::string> normal;
  if (kind == TargetKind::resource) {
    normal = normal_resource_uri(target);
    if (!normal) return compiled_->answer_malformed(principal, server, of);
    target = *normal;
  }
  Outcome outcome =
      cell ? compiled_->probe(names, *cell, principal)
      : kind == TargetKind::none
          ? compiled_->look_up(names, target, principal)
          : compiled_->look_up(names, QualifiedName(server, target).view(), principal);
  if (!outcome.conditional.empty() || !outcome.observed.empty()) {
    const bool is_tool = kind == TargetKind::tool;
    compiled_->settle(outcome, of, compiled_->rules.facts_of(server, is_tool ? target : ""));
  }
  return compiled_->answer(outcome);
}

bool AccessTable::concerns(const Principal& principal, std::string_view server,
                           std::int64_t now) const {
  if (compiled_ == nullptr) return false;
  const auto grants = [&](Subject subject) { return compiled_->grants_from(subject, server, now); };
  const auto& index = principal.index;
  return grants(kEveryone) || (index && grants(compiled_->subject_of_principal(*index))) ||
         std::ranges::any_of(principal.role_indexes, [&](std::uint32_t role) {
           return grants(compiled_->subject_of_role(role));
         });
}

}  // namespace bartizan
