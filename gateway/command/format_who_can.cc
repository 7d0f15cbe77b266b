#include "gateway/command/format_who_can.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/verify.h"
#include "config/parse_units.h"
#include "gateway/command/explain_condition.h"
#include "gateway/command/explain_predicate.h"
#include "gateway/command/token_roles.h"
#include "policy/check/check_permission.h"

namespace bartizan {
namespace {

using Can = WhoCanAnswer::Can;
using Caller = WhoCanAnswer::Caller;

std::string all_of(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, " and "));
}

/// The conditions under which an open permit matches: `A`, `B`, `not (C and D)`, `it is before
/// 2027-03-31…`.
std::vector<std::string> permit_parts(const OpenRule& open, const Config& config) {
  std::vector<std::string> parts = told_entries(open.when, config);
  const std::vector<std::string> unless = told_entries(open.unless, config);
  if (!unless.empty()) parts.push_back(fmt::format("not ({})", all_of(unless)));
  if (open.rule->expires.has_value()) {
    parts.push_back("it is before " + format_time(*open.rule->expires));
  }
  return parts;
}

std::vector<std::string> permit_lines(const std::vector<OpenRule>& permits, const Config& config) {
  std::vector<std::string> lines;
  if (permits.size() == 1) {
    for (const std::string& part : permit_parts(permits.front(), config))
      lines.push_back(fmt::format("{} (rule {})", part, permits.front().rule->name));
    return lines;
  }
  for (const OpenRule& open : permits) {
    lines.push_back(fmt::format("{}{} (rule {})", lines.empty() ? "either " : "or ",
                                all_of(permit_parts(open, config)), open.rule->name));
  }
  return lines;
}

/// `1 person of role boss approves it`
std::string approval_text(const ApprovalTerms& terms) {
  const std::string who =
      terms.approvals == 1 ? "1 person" : fmt::format("{} persons", terms.approvals);
  return fmt::format("{} of {} {} it, {} the caller", who, told_approvers(terms, " or "),
                     terms.approvals == 1 ? "approves" : "approve",
                     terms.self_approval ? "also" : "not");
}

/// The conditions under which an open refusal does not match.
std::string refusal_line(const OpenRule& open, const Config& config) {
  const std::vector<std::string> when = told_entries(open.when, config);
  const std::vector<std::string> unless = told_entries(open.unless, config);
  const bool wants_approval = open.rule->effect == Effect::require_approval;
  std::vector<std::string> ways;
  if (wants_approval) ways.push_back(approval_text(open.rule->approval));
  if (!when.empty()) ways.push_back(fmt::format("not ({})", all_of(when)));
  if (!unless.empty()) ways.push_back(all_of(unless));
  return fmt::format("{} (rule {})", fmt::join(ways, ", or "), open.rule->name);
}

/// The permission and its roles.
std::string permission_line(const std::string& permission, const Config& config) {
  std::vector<std::string> roles;
  for (const auto& [name, role] : config.roles) {
    Principal holder;
    holder.permissions = role.permissions;
    if (holds_permission(holder, permission)) roles.push_back(name);
  }
  std::string line = fmt::format("the caller also has the permission {}", permission);
  return roles.empty() ? line + ", which no role gives"
                       : line + fmt::format(", as with role {}", fmt::join(roles, " or "));
}

std::string argument_line(const OpenArgument& open, const Config& config) {
  const std::string by = fmt::format("(profile \"{}\")", open.profile->pattern);
  if (open.predicate == nullptr) return "the arguments fit the schema " + by;
  return fmt::format("{} is {}{} {}", visible(open.predicate->pointer),
                     told_predicate(open.predicate->predicate, config),
                     open.predicate->optional ? ", where it is given" : "", by);
}

std::string_view word(Can can) {
  if (can == Can::always) return "always";
  return can == Can::sometimes ? "sometimes" : "never";
}

std::string_view word(Caller caller) {
  switch (caller) {
    case Caller::principal:
      return "principal";
    case Caller::role:
      return "role";
    case Caller::nobody:
      break;
  }
  return "without_role";
}

/// `rule reads`, `no_matching_rule`, `argument_not_allowed at /n`, `forbidden by rule no`
std::string cause(const WhoCanAnswer& answer) {
  const Decision& decision = answer.answer.decision;
  const std::string rule = answer.rule.empty() ? "" : "rule " + answer.rule;
  if (answer.can != Can::never) return rule.empty() ? "no rule" : rule;
  std::string told(text(decision.reason));
  if (!decision.pointer.empty()) told += " at " + visible(decision.pointer);
  if (!decision.permission.empty()) told += " " + decision.permission;
  return rule.empty() ? told : told + ", by " + rule;
}

/// Callers with the same answer.
struct Group {
  std::string cause;
  std::vector<std::string> conditions;
  std::vector<std::string> principals = {}, roles = {};
  bool has_nobody = false;

  std::string names() const {
    std::vector<std::string> parts;
    const auto add = [&parts](std::string_view one, std::string_view many,
                              const std::vector<std::string>& names) {
      if (names.empty()) return;
      parts.push_back(fmt::format("{} {}", names.size() == 1 ? one : many, fmt::join(names, ", ")));
    };
    add("role", "roles", roles);
    add("principal", "principals", principals);
    if (has_nobody) parts.emplace_back("callers without any role");
    return fmt::format("{}", fmt::join(parts, "; "));
  }
};

/// The groups with that answer, the shortest first.
std::vector<Group> groups_of(const ToldWhoCan& told, Can can) {
  const bool has_tokens =
      !told.config.auth.issuers.empty() || !told.config.auth.front_doors.empty();
  std::map<std::pair<std::vector<std::string>, std::string>, Group> grouped;
  for (const WhoCanAnswer& answer : told.who.answers) {
    const bool is_nobody = answer.caller == Caller::nobody;
    // Somebody without a role can only come from tokens.
    if (answer.can != can || (is_nobody && can == Can::never && !has_tokens)) continue;
    const std::vector<std::string> conditions = told_conditions(told, answer);
    Group& group = grouped[{conditions, cause(answer)}];
    group.cause = cause(answer);
    group.conditions = conditions;
    if (answer.caller == Caller::principal) group.principals.push_back(answer.name);
    if (answer.caller == Caller::role) group.roles.push_back(answer.name);
    group.has_nobody = group.has_nobody || is_nobody;
  }
  std::vector<Group> groups;
  groups.reserve(grouped.size());
  for (auto& [key, group] : grouped)
    groups.push_back(std::move(group));
  std::ranges::sort(groups, {}, [](const Group& group) {
    const std::string names = group.names();
    return std::tuple(group.conditions.size(), names.size() + group.cause.size(), names);
  });
  return groups;
}

void write_groups(std::string_view head, const std::vector<Group>& groups,
                  const CommandOutput& output) {
  if (groups.empty()) return;
  output.results << head << '\n';
  for (const Group& group : groups) {
    output.results << fmt::format("  {}: {}\n", group.names(), group.cause);
    for (const std::string& condition : group.conditions)
      output.results << "    " << condition << '\n';
  }
}

/// The claims that lead to the permitted roles.
std::vector<ClaimGrant> claims_of(const ToldWhoCan& told) {
  std::vector<std::string> roles;
  for (const WhoCanAnswer& answer : told.who.answers) {
    if (answer.caller == Caller::role && answer.can != Can::never) roles.push_back(answer.name);
  }
  return claims_leading_to(told.config.auth, roles);
}

std::string claim_line(const ClaimGrant& grant) {
  const bool is_issuer = grant.source == ClaimGrant::Source::issuer;
  std::string line =
      fmt::format("{} {}: claim {} = \"{}\" leads to role {}", is_issuer ? "issuer" : "front door",
                  grant.name, visible(grant.claim), visible(grant.value), grant.role);
  if (grant.scopes.empty()) return line;
  return line + fmt::format(", with scope {}",
                            visible(fmt::format("{}", fmt::join(grant.scopes, " or "))));
}

JsonObject answer_json(const ToldWhoCan& told, const WhoCanAnswer& answer) {
  const Decision& decision = answer.answer.decision;
  JsonObject json;
  json.add("caller", word(answer.caller));
  if (!answer.name.empty()) json.add("name", answer.name);
  json.add("can", word(answer.can));
  if (!answer.rule.empty()) json.add("rule", answer.rule);
  if (answer.can != Can::never) {
    json.add("conditions", told_conditions(told, answer));
    return json;
  }
  json.add("reason", text(decision.reason));
  if (!decision.pointer.empty()) json.add("pointer", decision.pointer);
  if (!decision.permission.empty()) json.add("permission", decision.permission);
  return json;
}

JsonObject claim_json(const ClaimGrant& grant) {
  JsonObject json;
  json.add(grant.source == ClaimGrant::Source::issuer ? "issuer" : "front_door", grant.name);
  json.add("claim", grant.claim);
  json.add("value", grant.value);
  json.add("role", grant.role);
  if (!grant.scopes.empty()) json.add("scopes", grant.scopes);
  return json;
}

}  // namespace

std::vector<std::string> told_conditions(const ToldWhoCan& told, const WhoCanAnswer& answer) {
  if (answer.can != Can::sometimes) return {};
  const Config& config = told.config;
  std::vector<std::string> lines;
  if (answer.only_observed) {
    lines.push_back(fmt::format("it is before {}: until then [policy] only observes",
                                format_time(config.policy.until.value_or(0))));
  } else {
    lines = permit_lines(answer.permits, config);
    for (const OpenRule& open : answer.refusals)
      lines.push_back(refusal_line(open, config));
    for (const std::string& permission : answer.permissions)
      lines.push_back(permission_line(permission, config));
    for (const OpenArgument& open : told.who.arguments)
      lines.push_back(argument_line(open, config));
    for (const std::string& outside : answer.outside)
      lines.push_back("it passes the lookup: " + visible(outside));
  }
  for (const std::string& endpoint : told.who.hidden_at) {
    lines.push_back(
        fmt::format("the client does not use endpoint {}, which does not show the tool", endpoint));
  }
  return lines;
}

void write_who_can(const ToldWhoCan& told, const CommandOutput& output) {
  const std::vector<Group> always = groups_of(told, Can::always);
  const std::vector<Group> sometimes = groups_of(told, Can::sometimes);
  output.results << fmt::format("{} under {}\n", visible(told.tool), visible(told.source));
  if (always.empty() && sometimes.empty()) output.results << "no caller may call it\n";
  write_groups("may call it:", always, output);
  write_groups("may call it under conditions:", sometimes, output);
  write_groups("may not call it:", groups_of(told, Can::never), output);
  const std::vector<ClaimGrant> claims = claims_of(told);
  if (!claims.empty()) output.results << "claims of access tokens:\n";
  for (const ClaimGrant& grant : claims)
    output.results << "  " << claim_line(grant) << '\n';
  if (!told.who.is_definition_assumed) return;
  output.results << "note: the tool's definition is not known: arguments were not validated "
                    "against a schema\n";
}

JsonObject who_can_json(const ToldWhoCan& told) {
  std::vector<JsonObject> answers, claims;
  bool can_anybody = false;
  for (const WhoCanAnswer& answer : told.who.answers) {
    answers.push_back(answer_json(told, answer));
    can_anybody = can_anybody || answer.can != Can::never;
  }
  for (const ClaimGrant& grant : claims_of(told))
    claims.push_back(claim_json(grant));
  JsonObject json;
  json.add("tool", told.tool);
  json.add("policy", told.config.digest);
  json.add("source", told.source);
  json.add_flag("anybody", can_anybody);
  json.add("answers", answers);
  json.add("claims", claims);
  json.add_flag("definition_assumed", told.who.is_definition_assumed);
  return json;
}

}  // namespace bartizan
