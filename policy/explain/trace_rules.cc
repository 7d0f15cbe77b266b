#include "policy/explain/trace_rules.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "policy/check/check_access.h"
#include "policy/predicate/tool_effect.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

struct FactName {
  std::string_view operator()(const HintCondition& asked) const {
    switch (asked.hint) {
      case ToolHint::read_only:
        return "read_only";
      case ToolHint::destructive:
        return "destructive";
      case ToolHint::idempotent:
        return "idempotent";
      case ToolHint::open_world:
        break;
    }
    return "open_world";
  }
  std::string_view operator()(const MethodCondition&) const { return "method"; }
  std::string_view operator()(const TransportCondition&) const { return "transport"; }
  std::string_view operator()(const EndpointCondition&) const { return "endpoint"; }
  std::string_view operator()(const RevisionCondition&) const { return "revision"; }
  std::string_view operator()(const AddressCondition&) const { return "client_address"; }
  std::string_view operator()(const ServerTrustCondition&) const { return "server_trust"; }
  std::string_view operator()(const TimeCondition&) const { return "time"; }
  std::string_view operator()(const RiskCondition& asked) const {
    return asked.of == ClassOf::chain ? "chain_risk" : "risk";
  }
  std::string_view operator()(const ReversibilityCondition& asked) const {
    return asked.of == ClassOf::chain ? "chain_reversibility" : "reversibility";
  }
};

/// The target of a call, in the terms of one kind of rule.
struct Asked {
  TargetKind kind;
  std::string name;
};

/// Its method, its target, and the resources that a subscription names.
std::vector<Asked> asked_by(const Call& call) {
  std::vector<Asked> asked{{TargetKind::none, std::string(call.message.method)}};
  if (call.target_kind != TargetKind::none)
    asked.push_back({call.target_kind, std::string(call.target)});
  if (call.message.known->id != MethodId::subscriptions_listen) return asked;
  for (std::string& uri : subscribed_resources(call))
    asked.push_back({TargetKind::resource, std::move(uri)});
  return asked;
}

/// Whether the single rule of a table decides about any of the call's targets.
bool decides(const AccessTable& table, const RuleConfig& rule, const Call& call) {
  return std::ranges::any_of(asked_by(call), [&](const Asked& asked) {
    return asked.kind == target_kind(rule.target) &&
           table.decide(*call.principal, asked.kind, call.server, asked.name, {}).decision.rule !=
               nullptr;
  });
}

RuleConfig without_conditions(const RuleConfig& rule) {
  RuleConfig bare = rule;
  bare.when = {};
  bare.unless = {};
  bare.expires = {};
  bare.approval = {};
  // An observed rule refuses nothing, but its answer is wanted, too.
  bare.observe = false;
  return bare;
}

EntryAnswer ask(const RuleConditions& entry, std::string name, const Config& config,
                const EvalContext& of, const ServerFacts& server) {
  ValueFacts values{.cwd = server.cwd,
                    .steps = {limits::rule_steps_max},
                    .effect = effect_of(server.pinned, of.tool),
                    .outside = of.outside};
  return {std::move(name), Conditions(entry, config.paths).judge(of, server, values)};
}

/// Evaluates each entry in its own table.
std::vector<EntryAnswer> ask_each(const RuleConditions& conditions, const Config& config,
                                  const EvalContext& of, const ServerFacts& server) {
  std::vector<EntryAnswer> answers;
  answers.reserve(conditions.facts.size() + conditions.arguments.size());
  for (const FactCondition& fact : conditions.facts) {
    answers.push_back(ask({.arguments = {}, .facts = {fact}},
                          std::string(std::visit(FactName(), fact.fact)), config, of, server));
  }
  for (const ArgumentPredicate& argument : conditions.arguments) {
    answers.push_back(
        ask({.arguments = {argument}, .facts = {}}, argument.pointer, config, of, server));
  }
  return answers;
}

}  // namespace

RuleTracer::RuleTracer(const Config& config) : config_(config), rules_(config) {
  Config one;
  one.roles = config.roles;
  one.principals = config.principals;
  for (const auto& [name, rule] : config.rules) {
    RuleConfig bare = without_conditions(rule);
    one.rules.insert_or_assign(name, bare);
    AccessTable of_caller(one, {});
    bare.roles = {"*"};
    bare.principals.clear();
    one.rules.insert_or_assign(name, std::move(bare));
    each_.push_back({&rule, AccessTable(one, {}), std::move(of_caller)});
    one.rules.clear();
  }
}

std::vector<RuleAnswer> RuleTracer::answers(const Call& call) const {
  std::vector<RuleAnswer> answers;
  if (call.principal == nullptr) return answers;
  const EvalContext of = circumstances_of(call);
  const ServerFacts server_facts = rules_.facts_of(call.server, "");
  const ServerFacts tool_facts = rules_.facts_of(call.server, call.target);
  for (std::uint32_t number = 0; number < each_.size(); ++number) {
    const OneRule& one = each_[number];
    if (!decides(one.of_anyone, *one.rule, call)) continue;
    RuleAnswer& answer = answers.emplace_back(RuleAnswer{.rule = one.rule});
    answer.is_about_caller = decides(one.of_caller, *one.rule, call);
    if (!answer.is_about_caller) continue;
    const bool is_of_tools = one.rule->target == RuleTarget::tools;
    const ServerFacts& server = is_of_tools ? tool_facts : server_facts;
    answer.has_expired = of.now >= rules_[number].expires;
    answer.when = ask_each(one.rule->when, config_, of, server);
    answer.unless = ask_each(one.rule->unless, config_, of, server);
    answer.matches = rules_.matches(number, of, server);
  }
  return answers;
}

}  // namespace bartizan
