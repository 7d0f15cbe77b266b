#include "policy/check/check_access.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace bartizan {
namespace {

/// What must hold beside that no rule on methods forbids the call.
enum class Need : std::uint8_t { nothing, target_rule, method_rule };

Need need_of(MethodId method) {
  switch (method) {
    case MethodId::initialize:
    case MethodId::ping:
    case MethodId::server_discover:
    case MethodId::tools_list:
    case MethodId::resources_list:
    case MethodId::resources_templates_list:
    case MethodId::prompts_list:
    case MethodId::skills_list:
    case MethodId::tasks_get:
    case MethodId::tasks_update:
    case MethodId::tasks_cancel:
      return Need::nothing;
    case MethodId::tools_call:
    case MethodId::prompts_get:
    case MethodId::resources_read:
    case MethodId::resources_subscribe:
    case MethodId::resources_unsubscribe:
    case MethodId::skills_get:
    case MethodId::resources_directory_read:
    case MethodId::completion_complete:
      return Need::target_rule;
    default:
      return Need::method_rule;
  }
}

Need need_of(const Call& call) {
  const bool is_servers = call.direction == Direction::server_to_client;
  return is_servers ? Need::nothing : need_of(call.message.known->id);
}

/// Which targets a method can have. A call whose target is of another kind was gathered wrongly,
/// and the wrong rules would be asked.
bool fits(MethodId method, TargetKind target) {
  switch (method) {
    case MethodId::tools_call:
      return target == TargetKind::tool;
    case MethodId::prompts_get:
      return target == TargetKind::prompt;
    case MethodId::completion_complete:
      return target == TargetKind::prompt || target == TargetKind::resource;
    default:
      return target == TargetKind::resource;
  }
}

AccessTable::Answer ask_about_method(const AccessTable& table, const Call& call) {
  return table.decide(*call.principal, TargetKind::none, call.server, call.message.method,
                      circumstances_of(call));
}

AccessTable::Answer ask_about_target(const AccessTable& table, const Call& call,
                                     const EvalContext& of) {
  return table.decide(*call.principal, call.target_kind, call.server, call.target, of,
                      call.facts.known.cell);
}

AccessTable::Answer ask_about_target(const AccessTable& table, const Call& call) {
  return ask_about_target(table, call, circumstances_of(call));
}

/// The rule of one resource that a subscription names.
std::optional<Decision> refuse_resource(const AccessTable& table, const Call& call,
                                        std::string_view uri) {
  AccessTable::Answer answer =
      table.decide(*call.principal, TargetKind::resource, call.server, uri, circumstances_of(call));
  if (answer.decision.permits()) return std::nullopt;
  if (answer.hidden_as.has_value()) answer.decision.hidden_as = *answer.hidden_as;
  return std::move(answer.decision);
}

/// A subscription tells of resources, so it needs the rule of each that it names.
Decision decide_subscription(const AccessTable& table, const Call& call, Decision by_method) {
  const JsonValue wanted = call.message.params.find("notifications").find("resourceSubscriptions");
  if (!wanted) return by_method;
  const bool is_array = wanted.is(JsonType::array);
  const bool are_texts = std::all_of(wanted.begin(), wanted.end(),
                                     [](JsonValue uri) { return uri.is(JsonType::string); });
  if (!is_array || !are_texts) return Decision::deny(Reason::invalid_params);
  for (const std::string& uri : subscribed_resources(call)) {
    if (auto refused = refuse_resource(table, call, uri)) return *std::move(refused);
  }
  return by_method;
}

bool is_by_rule(const Decision& decision) {
  return decision.denies() && decision.rule != nullptr;
}

/// Of what the rules on methods and those on the target say: the refusal that a rule of either
/// gives, else what the target's say. Of two, forbid beats require_approval, then the first by
/// name; either hides both.
Decision combine(Decision by_method, Decision by_target) {
  if (!is_by_rule(by_method)) return by_target;
  if (!is_by_rule(by_target)) return by_method;
  const bool is_hidden = by_method.is_hidden || by_target.is_hidden;
  const auto rank = [](const Decision& decision) {
    return std::pair(decision.reason != Reason::forbidden, decision.rule_name());
  };
  Decision first = rank(by_method) < rank(by_target) ? std::move(by_method) : std::move(by_target);
  first.is_hidden = is_hidden;
  return first;
}

/// Notifications belong to a call or a session in progress, which was judged when it began.
std::optional<Decision> decide_without_rules(const Call& call) {
  if (call.message.is_answer()) return Decision::pass();
  if (call.principal == nullptr) return Decision::deny(Reason::internal);
  if (!call.message.is_notification()) return std::nullopt;
  const bool from_client = call.direction == Direction::client_to_server;
  const bool is_cancellation = call.message.known->id == MethodId::notifications_cancelled;
  return from_client && !is_cancellation ? Decision::permit(nullptr) : Decision::pass();
}

}  // namespace

EvalContext circumstances_of(const Call& call) {
  return {.now = call.facts.now,
          .method = call.message.method,
          .transport = call.facts.transport,
          .endpoint = call.facts.endpoint,
          .version = call.version,
          .client_address = call.facts.client_address,
          .caller = call.principal == nullptr ? std::string_view() : call.principal->id,
          .approvals = call.facts.approvals,
          .assumes_approval = call.facts.assumes_approval,
          .tool = call.facts.tool,
          .chain = call.facts.chain,
          .arguments = call.message.arguments,
          .outside = outside_of(call.facts)};
}

std::vector<std::string> subscribed_resources(const Call& call) {
  if (call.facts.resources != nullptr) return *call.facts.resources;
  std::vector<std::string> resources;
  for (const JsonValue uri :
       call.message.params.find("notifications").find("resourceSubscriptions")) {
    resources.emplace_back(uri.text());
  }
  return resources;
}

Decision decide_target(const AccessTable& table, const Call& call, const EvalContext& of) {
  return ask_about_target(table, call, of).decision;
}

bool needs_method_rule(MethodId method) {
  return find_method(method).from_client && need_of(method) == Need::method_rule;
}

Decision check_access(const AccessTable& table, const Call& call) {
  if (auto decided = decide_without_rules(call)) return *std::move(decided);
  const Need need = need_of(call);
  Decision by_method = ask_about_method(table, call).decision;
  if (call.message.known->id == MethodId::subscriptions_listen && by_method.permits()) {
    return decide_subscription(table, call, std::move(by_method));
  }
  if (need == Need::method_rule) return by_method;
  if (need == Need::nothing) {
    return is_by_rule(by_method) ? by_method : Decision::permit(nullptr);
  }
  if (!fits(call.message.known->id, call.target_kind)) {
    return is_by_rule(by_method) ? by_method : Decision::deny(Reason::invalid_params);
  }
  AccessTable::Answer by_target = ask_about_target(table, call);
  const std::optional<Reason> hidden_as = by_target.hidden_as;
  Decision decision = combine(std::move(by_method), std::move(by_target.decision));
  if (hidden_as.has_value()) decision.hidden_as = *hidden_as;
  return decision;
}

std::vector<Decision> observed_access(const AccessTable& table, const Call& call) {
  if (decide_without_rules(call)) return {};
  std::vector<Decision> observed = ask_about_method(table, call).observed;
  if (need_of(call) != Need::target_rule) return observed;
  std::vector<Decision> more = ask_about_target(table, call).observed;
  observed.insert(observed.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  std::ranges::sort(observed, {}, &Decision::rule_name);
  return observed;
}

}  // namespace bartizan
