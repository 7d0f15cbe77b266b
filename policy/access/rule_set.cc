#include "policy/access/rule_set.h"

#include <algorithm>

#include "policy/predicate/tool_effect.h"
#include "schemas/base/limits.h"

namespace bartizan {

TargetKind target_kind(RuleTarget target) {
  switch (target) {
    case RuleTarget::tools:
      return TargetKind::tool;
    case RuleTarget::resources:
      return TargetKind::resource;
    case RuleTarget::prompts:
      return TargetKind::prompt;
    case RuleTarget::methods:
      return TargetKind::none;
  }
  return TargetKind::none;
}

bool names_everyone(const RuleConfig& rule) {
  const auto has_star = [](const std::vector<std::string>& names) {
    return std::ranges::find(names, "*") != names.end();
  };
  return has_star(rule.roles) || has_star(rule.principals);
}

RuleSet::RuleSet(const Config& config) : pins_(config.pins.tools), persons_(config) {
  for (const auto& [name, server] : config.servers)
    servers_.emplace(name, Server{.cwd = server.cwd, .trust = server.trust});
  for (const auto& [name, rule] : config.rules) {
    rules_.push_back({.info = {name, rule.remediation, rule.hide, rule.answer_as_result, rule.risk},
                      .effect = rule.effect,
                      .is_observed = rule.observe,
                      .when = Conditions(rule.when, config.paths),
                      .unless = Conditions(rule.unless, config.paths),
                      .expires = rule.expires.value_or(kNever),
                      .approval = rule.approval});
    asks_class_ =
        asks_class_ || rules_.back().when.asks_class() || rules_.back().unless.asks_class();
  }
  if (!asks_class_) return;
  for (const ToolProfile& profile : config.tools) {
    const CallClass said{.risk = profile.risk, .reversibility = profile.reversibility};
    if (!said.empty()) classes_.emplace_back(Glob(profile.pattern), said);
  }
}

bool RuleSet::asks_outside() const {
  return std::ranges::any_of(rules_, [](const Rule& rule) {
    return rule.when.asks_outside() || rule.unless.asks_outside();
  });
}

ServerFacts RuleSet::facts_of(std::string_view server, std::string_view tool) const {
  ServerFacts facts;
  if (const auto found = servers_.find(server); found != servers_.end()) {
    facts.cwd = found->second.cwd;
    facts.trust = found->second.trust;
  }
  if (const auto pinned = pins_.find(server); pinned != pins_.end()) {
    const auto found = pinned->second.find(tool);
    if (found != pinned->second.end()) facts.pinned = &found->second;
  }
  if (!classes_.empty()) {
    const std::string name = std::string(server) + "/" + std::string(tool);
    for (const auto& [glob, said] : classes_) {
      if (glob.matches(name)) facts.profiled = higher(facts.profiled, said);
    }
  }
  return facts;
}

bool RuleSet::is_approved(const Rule& rule, const EvalContext& of) const {
  if (!rule.approval.names_anybody()) return false;
  return of.assumes_approval || count_approvals(rule.approval, rule.info.name, persons_, of.caller,
                                                of.approvals, of.now) >= rule.approval.approvals;
}

bool RuleSet::matches(std::uint32_t number, const EvalContext& of,
                      const ServerFacts& server) const {
  const Rule& rule = rules_[number];
  ValueFacts values{.cwd = server.cwd,
                    .steps = {limits::rule_steps_max},
                    .effect = effect_of(server.pinned, of.tool),
                    .outside = of.outside};
  if (of.now >= rule.expires) return false;
  if (rule.effect == Effect::require_approval && is_approved(rule, of)) return false;
  const TriState when = rule.when.judge(of, server, values);
  const TriState unless =
      rule.unless.empty() ? TriState::no : rule.unless.judge(of, server, values);
  if (!rule.refuses()) return when.can_be_true() && unless.can_be_false();
  const bool is_decided = unless.can_be_false() || unless.can_be_true();
  return !(when.can_be_false() && is_decided) && !(when.can_be_true() && unless.can_be_true());
}

}  // namespace bartizan
