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

RuleSet::RuleSet(const Config& config) : pins_(config.pins.tools) {
  for (const auto& [name, server] : config.servers)
    servers_.emplace(name, Server{.cwd = server.cwd, .trust = server.trust});
  for (const auto& [name, rule] : config.rules) {
    rules_.push_back({.info = {name, rule.remediation, rule.hide, rule.answer_as_result},
                      .effect = rule.effect,
                      .is_observed = rule.observe,
                      .when = Conditions(rule.when, config.paths),
                      .unless = Conditions(rule.unless, config.paths),
                      .expires = rule.expires.value_or(kNever),
                      .approvers = rule.approvers,
                      .allows_self_approval = rule.self_approval,
                      .approval_lifetime = rule.valid_for});
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
  return facts;
}

namespace {

/// Whether an approval is one that a rule asks for. One from the future is from a clock that was
/// set back, and nobody knows how old it is.
bool satisfies(const Approval& approval, const RuleSet::Rule& rule, const EvalContext& of) {
  const bool is_own = approval.approver->id == of.caller;
  if (is_own && !rule.allows_self_approval) return false;
  if (approval.at > of.now || of.now - approval.at >= rule.approval_lifetime.count()) return false;
  return std::ranges::any_of(rule.approvers, [&](const std::string& role) {
    return std::ranges::binary_search(approval.approver->roles, role);
  });
}

}  // namespace

bool RuleSet::matches(std::uint32_t number, const EvalContext& of,
                      const ServerFacts& server) const {
  const Rule& rule = rules_[number];
  ValueFacts values{.cwd = server.cwd,
                    .steps = {limits::rule_steps_max},
                    .effect = effect_of(server.pinned, of.tool),
                    .outside = of.outside};
  if (of.now >= rule.expires) return false;
  const bool is_approved = std::ranges::any_of(
      of.approvals, [&](const Approval& approval) { return satisfies(approval, rule, of); });
  if (is_approved && rule.effect == Effect::require_approval) return false;
  const TriState when = rule.when.judge(of, server, values);
  const TriState unless =
      rule.unless.empty() ? TriState::no : rule.unless.judge(of, server, values);
  if (!rule.refuses()) return when.can_be_true() && unless.can_be_false();
  const bool is_decided = unless.can_be_false() || unless.can_be_true();
  return !(when.can_be_false() && is_decided) && !(when.can_be_true() && unless.can_be_true());
}

}  // namespace bartizan
