#include "policy/rule_set.h"

#include "schemas/limits.h"

namespace bartizan {

RuleSet::RuleSet(const Config& config) : pins_(config.pins.tools) {
  for (const auto& [name, server] : config.servers)
    servers_.emplace(name, Server{.cwd = server.cwd, .trust = server.trust});
  for (const auto& [name, rule] : config.rules) {
    rules_.push_back({.info = {name, rule.remediation, rule.hide, rule.answer_as_result},
                      .effect = rule.effect,
                      .is_observed = rule.observe,
                      .when = Conditions(rule.when, config.paths),
                      .unless = Conditions(rule.unless, config.paths),
                      .expires = rule.expires.value_or(kNever)});
  }
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

bool RuleSet::matches(std::uint32_t number, const Circumstances& of,
                      const ServerFacts& server) const {
  const Rule& rule = rules_[number];
  ValueFacts values{.cwd = server.cwd, .steps = {limits::rule_steps_max}};
  if (of.now >= rule.expires) return false;
  const Truth when = rule.when.judge(of, server, values);
  const Truth unless = rule.unless.empty() ? Truth::no : rule.unless.judge(of, server, values);
  if (!rule.refuses()) return when.can_be_true() && unless.can_be_false();
  const bool is_decided = unless.can_be_false() || unless.can_be_true();
  return !(when.can_be_false() && is_decided) && !(when.can_be_true() && unless.can_be_true());
}

}  // namespace bartizan
