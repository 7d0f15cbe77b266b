#include "gateway/command/format_trace.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/encode_record.h"
#include "audit/verify.h"
#include "gateway/command/explain_condition.h"
#include "policy/verdict/reason.h"

namespace bartizan {
namespace {

std::string_view text(Effect effect) {
  switch (effect) {
    case Effect::permit:
      return "permit";
    case Effect::forbid:
      return "forbid";
    case Effect::require_approval:
      return "require_approval";
  }
  return "forbid";
}

std::string_view text(TriState truth) {
  if (truth == TriState::yes) return "true";
  return truth == TriState::no ? "false" : "undecidable";
}

std::string_view kind_text(const Decision& decision) {
  if (decision.denies()) return "deny";
  return decision.permits() ? "permit" : "pass";
}

/// `path_outside_root at /path`, and whether the disk caused it.
std::string cause(const Decision& decision) {
  std::string told(text(decision.reason));
  if (!decision.pointer.empty()) told += " at " + visible(decision.pointer);
  if (decision.outside == OutsideRefusal::none) return told;
  return told + fmt::format(", which {}", text(decision.outside));
}

/// `deny, path_outside_root at /path, by rule analysts-read`
std::string sentence(const Decision& decision) {
  std::string told(kind_text(decision));
  if (decision.denies()) told += ", " + cause(decision);
  if (!decision.permission.empty()) told += " " + decision.permission;
  if (decision.rule != nullptr) told += ", by rule " + decision.rule->name;
  return told;
}

/// Why a rule matches, or what prevents it.
std::string why(const RuleAnswer& answer) {
  if (!answer.is_about_caller) return "is about other callers";
  if (answer.has_expired) return "has expired";
  const std::string_view verdict = answer.matches ? "matches" : "does not match";
  std::vector<std::string> entries;
  entries.reserve(answer.when.size() + answer.unless.size());
  for (const EntryAnswer& entry : answer.when)
    entries.push_back(fmt::format("when {} is {}", visible(entry.entry), text(entry.answer)));
  for (const EntryAnswer& entry : answer.unless)
    entries.push_back(fmt::format("unless {} is {}", visible(entry.entry), text(entry.answer)));
  if (entries.empty() && !answer.matches) return "does not match: it was approved";
  if (entries.empty()) return std::string(verdict);
  return fmt::format("{}: {}", verdict, fmt::join(entries, ", "));
}

std::string_view effect_of(const RuleConfig& rule) {
  return rule.observe ? std::string_view("observed") : text(rule.effect);
}

/// Lines after a word, which precedes the first of them.
void write_part(std::string_view name, const std::vector<std::string>& lines,
                const CommandOutput& output) {
  std::string_view head = name;
  for (const std::string& line : lines)
    output.results << fmt::format("{:<12}{}\n", std::exchange(head, ""), line);
}

std::string moment_text(std::int64_t seconds) {
  const auto text = time_text(std::chrono::system_clock::time_point(std::chrono::seconds(seconds)));
  return {text.data(), text.size()};
}

using Fact = std::pair<std::string, std::string>;

std::vector<Fact> known_facts(const DescribedCall& call, const ExplainedCall& explained) {
  std::vector<Fact> facts{{"time", moment_text(explained.now)}};
  if (call.facts.transport.has_value()) {
    facts.emplace_back("transport", kind_of(*call.facts.transport).name);
  }
  if (call.facts.endpoint.has_value()) {
    facts.emplace_back("endpoint", visible(*call.facts.endpoint));
  }
  if (call.facts.client_address.has_value()) {
    facts.emplace_back("client_address", visible(*call.facts.client_address));
  }
  facts.emplace_back("revision", text(call.facts.revision.value_or(kNewestLegacyVersion)));
  const auto server = explained.config->servers.find(call.server);
  if (server != explained.config->servers.end()) {
    facts.emplace_back("server_trust", text(server->second.trust));
  }
  for (const std::string& approver : call.facts.approved_by)
    facts.emplace_back("approved_by", approver);
  for (const auto& [path, place] : call.facts.places)
    facts.emplace_back("places " + visible(path), text(place));
  for (const auto& [path, sha256] : call.facts.contents)
    facts.emplace_back("contents " + visible(path), visible(sha256));
  for (const auto& [name, addresses] : call.facts.addresses)
    facts.emplace_back("addresses " + visible(name),
                       visible(fmt::format("{}", fmt::join(addresses, ", "))));
  return facts;
}

std::string called(const DescribedCall& call) {
  if (call.target_kind == TargetKind::none) return call.method;
  return fmt::format("{} {}/{}", call.method, call.server, visible(call.target));
}

std::string caller(const DescribedCall& call, const ExplainedCall& explained) {
  if (call.principal.empty()) return fmt::format("roles {}", fmt::join(call.roles, ", "));
  const PrincipalPtr principal = explained.policy->find_principal(call.principal);
  return fmt::format("{}, roles {}", call.principal, fmt::join(principal->roles, ", "));
}

/// The caller's trust, which determines the details of a refusal, and its source.
RoleTrust trust_of(const DescribedCall& call, const ExplainedCall& explained) {
  const RoleConfigs& roles = explained.config->roles;
  if (call.principal.empty()) return trust_of_roles(call.roles, roles);
  const auto principal = explained.config->principals.find(call.principal);
  return principal == explained.config->principals.end()
             ? RoleTrust{}
             : trust_of_roles(principal->second.roles, roles);
}

std::string trust_line(const RoleTrust& trust) {
  return trust.role.empty()
             ? fmt::format("{}: no role of the caller states a trust", text(trust.trust))
             : fmt::format("{}, by role {}", text(trust.trust), trust.role);
}

std::vector<std::string> rule_lines(const ExplainedCall& explained) {
  std::vector<std::string> lines;
  lines.reserve(explained.trace.rules.size());
  for (const RuleAnswer& answer : explained.trace.rules) {
    lines.push_back(fmt::format("{} {} ({}) {}", effect_of(*answer.rule), answer.rule->name,
                                text(*explained.config, answer.rule->where), why(answer)));
  }
  if (lines.empty()) lines.emplace_back("none is about it");
  return lines;
}

/// The result for an argument without a predicate.
std::string_view words(UnguardedAnswer answer) {
  switch (answer) {
    case UnguardedAnswer::refused:
      return "is refused: no predicate names it";
    case UnguardedAnswer::allowed:
      return "passes: no predicate names it, and [policy] unguarded_arguments = \"allow\"";
    case UnguardedAnswer::unasked:
      break;
  }
  return "passes: no predicate is about a value of this tool";
}

std::string_view text(UnguardedAnswer answer) {
  switch (answer) {
    case UnguardedAnswer::refused:
      return "refused";
    case UnguardedAnswer::allowed:
      return "allowed";
    case UnguardedAnswer::unasked:
      break;
  }
  return "unasked";
}

std::vector<std::string> predicate_lines(const ExplainedCall& explained) {
  std::vector<std::string> lines;
  for (const PredicateAnswer& answer : explained.trace.predicates) {
    const bool refuses = answer.decision.denies();
    lines.push_back(fmt::format("{} of [tool.\"{}\"] ({}) {}", visible(answer.predicate->pointer),
                                answer.profile->pattern,
                                text(*explained.config, answer.predicate->where),
                                refuses ? "refuses, " + cause(answer.decision) : "holds"));
  }
  for (const std::string& pointer : explained.trace.unguarded)
    lines.push_back(
        fmt::format("{} {}", visible(pointer), words(explained.trace.unguarded_answer)));
  return lines;
}

/// The approval that a refused call lacks; null for any other refusal.
const ApprovalTerms* wanted_approval(const ExplainedCall& explained) {
  const Decision& decision = explained.answer.decision;
  if (decision.reason != Reason::needs_approval || decision.rule == nullptr) return nullptr;
  return explained.policy->find_approval_terms(decision.rule->name);
}

std::vector<std::string> approval_lines(const ExplainedCall& explained) {
  const ApprovalTerms* terms = wanted_approval(explained);
  if (terms == nullptr) return {};
  return {
      fmt::format("{} of: {}{}",
                  terms->approvals == 1 ? "1 person" : fmt::format("{} persons", terms->approvals),
                  told_approvers(*terms, ", "),
                  terms->self_approval ? "; also the caller" : "; not the caller")};
}

JsonObject approval_json(const ApprovalTerms& terms) {
  JsonObject json;
  json.add("approvals", std::uint64_t{terms.approvals});
  json.add("approvers", terms.approvers);
  json.add("approver_principals", terms.principals);
  json.add_flag("self_approval", terms.self_approval);
  return json;
}

template <class Answers, class Line>
std::vector<std::string> lines_of(const Answers& answers, const Line& line) {
  std::vector<std::string> lines;
  lines.reserve(answers.size());
  for (const auto& answer : answers)
    lines.push_back(line(answer));
  return lines;
}

JsonObject decision_json(const Decision& decision) {
  JsonObject json;
  json.add("decision", kind_text(decision));
  if (decision.denies()) json.add("reason", text(decision.reason));
  if (decision.rule != nullptr) json.add("rule", decision.rule->name);
  if (!decision.pointer.empty()) json.add("pointer", decision.pointer);
  if (decision.outside != OutsideRefusal::none) json.add("detail", text(decision.outside));
  if (!decision.permission.empty()) json.add("permission", decision.permission);
  return json;
}

std::vector<JsonObject> entries_json(const std::vector<EntryAnswer>& entries) {
  std::vector<JsonObject> all;
  for (const EntryAnswer& entry : entries) {
    JsonObject& json = all.emplace_back();
    json.add("entry", entry.entry);
    json.add("answer", text(entry.answer));
  }
  return all;
}

JsonObject rule_json(const Config& config, const RuleAnswer& answer) {
  JsonObject json;
  json.add("name", answer.rule->name);
  json.add("where", text(config, answer.rule->where));
  json.add("effect", text(answer.rule->effect));
  json.add_flag("observed", answer.rule->observe);
  json.add_flag("about_caller", answer.is_about_caller);
  json.add_flag("expired", answer.has_expired);
  json.add("when", entries_json(answer.when));
  json.add("unless", entries_json(answer.unless));
  json.add_flag("matches", answer.matches);
  return json;
}

JsonObject predicate_json(const Config& config, const PredicateAnswer& answer) {
  JsonObject json = decision_json(answer.decision);
  json.add("predicate", answer.predicate->pointer);
  json.add("tool", answer.profile->pattern);
  json.add("where", text(config, answer.predicate->where));
  return json;
}

JsonObject check_json(const CheckAnswer& answer) {
  JsonObject json = decision_json(answer.decision);
  json.add("check", answer.check);
  return json;
}

JsonObject permission_json(const PermissionAnswer& answer) {
  JsonObject json;
  json.add("permission", answer.permission);
  json.add_flag("held", answer.is_held);
  return json;
}

template <class Answers, class Write>
std::vector<JsonObject> each_json(const Answers& answers, const Write& write) {
  std::vector<JsonObject> all;
  all.reserve(answers.size());
  for (const auto& answer : answers)
    all.push_back(write(answer));
  return all;
}

}  // namespace

void write_trace(const DescribedCall& call, const ExplainedCall& explained,
                 const CommandOutput& output) {
  const CallTrace& trace = explained.trace;
  output.results << sentence(explained.answer.decision) << '\n';
  if (explained.answer.decision.denies()) {
    const RuleInfo* rule = explained.answer.decision.rule;
    const bool has_advice = rule != nullptr && !rule->remediation.empty();
    write_part("",
               {has_advice ? rule->remediation
                           : std::string(message_of(explained.answer.decision.reason))},
               output);
  }
  write_part("to approve", approval_lines(explained), output);
  write_part("call", {called(call) + " by " + caller(call, explained)}, output);
  write_part("trust", {trust_line(trust_of(call, explained))}, output);
  write_part("checks",
             lines_of(trace.checks,
                      [](const CheckAnswer& answer) {
                        return fmt::format("{:<12}{}", answer.check, sentence(answer.decision));
                      }),
             output);
  write_part("would", lines_of(explained.answer.observed, sentence), output);
  write_part("rules", rule_lines(explained), output);
  write_part("permissions",
             lines_of(trace.permissions,
                      [](const PermissionAnswer& answer) {
                        return answer.permission + (answer.is_held ? " held" : " lacking");
                      }),
             output);
  write_part("predicates", predicate_lines(explained), output);
  write_part("limits", {fmt::format("{}", fmt::join(trace.limits, ", "))}, output);
  write_part(
      "facts",
      lines_of(known_facts(call, explained),
               [](const Fact& fact) { return fmt::format("{} {}", fact.first, fact.second); }),
      output);
  write_part("not known", lines_of(trace.missing_facts, visible), output);
  if (!explained.is_definition_assumed) return;
  write_part(
      "note",
      {"the tool's definition is not known: the arguments were not validated against a schema"},
      output);
}

JsonObject trace_json(const DescribedCall& call, const ExplainedCall& explained) {
  const Config& config = *explained.config;
  const CallTrace& trace = explained.trace;
  JsonObject json = decision_json(explained.answer.decision);
  if (!explained.answer.check.empty()) json.add("check", explained.answer.check);
  json.add("explanation", explained.answer.decision.denies()
                              ? message_of(explained.answer.decision.reason)
                              : std::string_view());
  if (const ApprovalTerms* terms = wanted_approval(explained)) {
    json.add_json("to_approve", approval_json(*terms).text());
  }
  json.add("policy", config.digest);
  json.add("method", call.method);
  json.add("server", call.server);
  json.add("target", call.target);
  const RoleTrust trust = trust_of(call, explained);
  json.add("trust", text(trust.trust));
  if (!trust.role.empty()) json.add("trust_by_role", trust.role);
  json.add("checks", each_json(trace.checks, check_json));
  json.add("would", each_json(explained.answer.observed, decision_json));
  json.add("rules", each_json(trace.rules, [&config](const RuleAnswer& answer) {
             return rule_json(config, answer);
           }));
  json.add("permissions", each_json(trace.permissions, permission_json));
  json.add("predicates", each_json(trace.predicates, [&config](const PredicateAnswer& answer) {
             return predicate_json(config, answer);
           }));
  json.add("unguarded", trace.unguarded);
  json.add("unguarded_are", text(trace.unguarded_answer));
  json.add("limits", trace.limits);
  JsonObject facts;
  for (const auto& [name, value] : known_facts(call, explained))
    facts.add(name, value);
  json.add_json("facts", facts.text());
  json.add("missing_facts", trace.missing_facts);
  json.add_flag("definition_assumed", explained.is_definition_assumed);
  return json;
}

}  // namespace bartizan
