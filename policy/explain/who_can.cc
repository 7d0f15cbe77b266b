#include "policy/explain/who_can.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/access/endpoint_views.h"
#include "policy/check/check_arguments.h"
#include "policy/check/check_permission.h"
#include "policy/explain/partial_definition.h"
#include "policy/explain/required_arguments.h"
#include "policy/explain/trace_rules.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

using Caller = WhoCanAnswer::Caller;
using Can = WhoCanAnswer::Can;

constexpr std::string_view kPermission = "permission";
/// Combinations of the values of required arguments that are asked about one by one.
constexpr std::size_t kCombinationsMax = 16;

/// A configuration with its compiled policy.
struct Judge {
  explicit Judge(Config its) : config(std::move(its)), policy(compile_policy(config, {})) {}

  Config config;
  std::shared_ptr<const Policy> policy;
};

/// The configuration without required permissions.
Config without_permissions(Config config) {
  for (ToolProfile& profile : config.tools)
    profile.permissions.clear();
  return config;
}

Config enforcing(Config config) {
  config.policy.mode = PolicySettings::Mode::enforce;
  return config;
}

/// The rules that apply, since each is asked alone.
Config with_rules_about(Config config, const AskedCalls& asked) {
  std::erase_if(config.rules,
                [&asked](const auto& named) { return !is_about_calls(named.second, asked); });
  return config;
}

/// One call for each caller of the question.
std::vector<PolicyCase> calls_of(const Config& config, const WhoCanQuestion& question) {
  std::vector<PolicyCase> cases;
  const DescribedCall call{.target_kind = TargetKind::tool,
                           .server = question.server,
                           .target = question.tool,
                           .method = "tools/call",
                           .arguments = question.arguments.empty() ? "{}" : question.arguments};
  for (const auto& [id, principal] : config.principals) {
    cases.push_back({.name = id, .call = call});
    cases.back().call.principal = id;
  }
  for (const auto& [name, role] : config.roles) {
    cases.push_back({.name = name, .call = call});
    cases.back().call.roles = {name};
  }
  cases.push_back({.call = call});
  return cases;
}

Caller caller_of(const DescribedCall& call) {
  if (!call.principal.empty()) return Caller::principal;
  return call.roles.empty() ? Caller::nobody : Caller::role;
}

/// The policy that makes the call as the server would get it, under the unchanged configuration.
std::shared_ptr<const Policy> policy_as_sent(const Config& config, const PolicyCase& one) {
  Config bare;
  bare.tools = config.tools;
  bare.servers = config.servers;
  bare.paths = config.paths;
  return compile_policy(with_callers(bare, {one}), {});
}

/// The refusals whose `when` can be false, for every caller, by entries that are not open.
std::set<std::string> find_missing(const Config& config, const Policy& as_sent,
                                   const PolicyCase& one, const ToolDefinition* definition,
                                   std::int64_t now) {
  const auto made = CaseCall::make(one.call, as_sent, definition, now);
  if (!made.has_value()) return {};
  Config of_anyone = config;
  for (auto& [name, rule] : of_anyone.rules) {
    rule.roles = {"*"};
    rule.principals.clear();
    rule.unless = {};
  }
  std::set<std::string> missing;
  for (const RuleAnswer& rule : RuleTracer(of_anyone).answers((*made)->call())) {
    const bool can_miss = std::ranges::any_of(
        rule.when, [](const EntryAnswer& entry) { return entry.answer.can_be_false(); });
    if (can_miss && rule.rule->effect != Effect::permit) missing.insert(rule.rule->name);
  }
  return missing;
}

/// Answers the question for one caller after another.
class Asking {
 public:
  Asking(const Config& config, const AskedCalls& asked, std::int64_t now,
         const std::vector<PolicyCase>& cases, const std::set<std::string>& missing)
      : config_(config),
        now_(now),
        given_(asked.given),
        best_(enforcing(with_callers(config_at_best(config, asked, missing), cases))),
        worst_(with_callers(config_at_worst(config, asked), cases)),
        freed_(without_permissions(best_.config)),
        best_about_(with_rules_about(best_.config, asked)),
        worst_about_(with_rules_about(worst_.config, asked)),
        best_rules_(best_about_),
        worst_rules_(worst_about_),
        is_whole_(open_arguments(config, asked).empty()) {
    if (config.policy.mode == PolicySettings::Mode::observe) {
      Config observing = best_.config;
      observing.policy.mode = PolicySettings::Mode::observe;
      observing_.emplace(std::move(observing));
    }
  }

  Result<WhoCanAnswer> ask(const PolicyCase& one, const ToolDefinition* definition,
                           bool is_shown_everywhere) const {
    const auto worst = make(one, worst_, definition);
    if (!worst.has_value()) return std::unexpected(worst.error());
    WhoCanAnswer answer{.caller = caller_of(one.call), .name = one.name};
    if (is_whole_ && is_shown_everywhere) {
      answer.answer = answer_of(worst_.policy->judge((*worst)->call()));
      if (answer.answer.decision.permits()) {
        answer.can = Can::always;
        answer.rule = answer.answer.decision.rule_name();
        return answer;
      }
    }
    const auto best = make(one, best_, definition);
    if (!best.has_value()) return std::unexpected(best.error());
    Call& call = (*best)->call();
    call.facts.assumes_approval = true;
    judge_best(answer, best_, call);
    if (answer.can == Can::never) try_further(answer, one, definition);
    answer.rule = answer.answer.decision.rule_name();
    if (answer.can == Can::sometimes && !answer.only_observed) {
      add_rules(answer, (*worst)->call(), call);
    }
    return answer;
  }

  std::vector<std::shared_ptr<const Policy>> policies() const {
    std::vector<std::shared_ptr<const Policy>> all{best_.policy, worst_.policy, freed_.policy};
    if (observing_.has_value()) all.push_back(observing_->policy);
    return all;
  }

 private:
  Result<std::unique_ptr<CaseCall>> make(const PolicyCase& one, const Judge& judge,
                                         const ToolDefinition* definition) const {
    return CaseCall::make(one.call, *judge.policy, definition, now_);
  }

  /// Unknown facts about the disk and DNS may favour the caller, too.
  static void judge_best(WhoCanAnswer& answer, const Judge& judge, const Call& call) {
    answer.answer = answer_of(judge.policy->judge(call));
    if (answer.answer.decision.denies()) {
      for (const FactQuery& question : judge.policy->questions(call))
        answer.outside.push_back(text(question));
    }
    const bool may = answer.answer.decision.permits() || !answer.outside.empty();
    answer.can = may ? Can::sometimes : Can::never;
  }

  /// Examines a refusal that another role of the caller lifts, or that `[policy]` only observes.
  void try_further(WhoCanAnswer& answer, const PolicyCase& one,
                   const ToolDefinition* definition) const {
    const CaseAnswer refusal = answer.answer;
    const auto judge_under = [&](const Judge& judge) {
      const auto made = make(one, judge, definition);
      if (!made.has_value()) return;
      (*made)->call().facts.assumes_approval = true;
      judge_best(answer, judge, (*made)->call());
    };
    if (observing_.has_value()) {
      judge_under(*observing_);
      answer.only_observed = answer.can != Can::never;
      if (answer.only_observed) return;
    }
    if (answer.caller == Caller::role && refusal.check == kPermission) {
      judge_under(freed_);
      if (answer.can != Can::never) {
        add_permissions(answer, one, definition);
        return;
      }
    }
    answer.answer = refusal;
  }

  void add_permissions(WhoCanAnswer& answer, const PolicyCase& one,
                       const ToolDefinition* definition) const {
    const auto made = make(one, best_, definition);
    if (!made.has_value()) return;
    const Call& call = (*made)->call();
    const ToolProfiles::Found profile = best_.policy->profiles().find(call);
    for (const std::string& permission : profile->permissions) {
      if (!holds_permission(*call.principal, permission)) answer.permissions.push_back(permission);
    }
  }

  OpenRule open_rule(const std::string& name) const {
    const RuleConfig& rule = config_.rules.find(name)->second;
    return {.rule = &rule,
            .when = open_entries(rule.when, given_),
            .unless = open_entries(rule.unless, given_)};
  }

  /// Adds the rules that decide: permits that may match, unless one always does, and refusals that
  /// may match but need not.
  void add_rules(WhoCanAnswer& answer, const Call& worst, const Call& best) const {
    std::map<std::string, bool> matches_at_best;
    const std::vector<RuleAnswer> against = worst_rules_.answers(worst);
    for (const RuleAnswer& rule : best_rules_.answers(best))
      matches_at_best[rule.rule->name] = rule.is_about_caller && rule.matches;
    std::string certain_permit;
    for (const RuleAnswer& rule : against) {
      if (!rule.is_about_caller || rule.rule->observe) continue;
      const bool may = matches_at_best[rule.rule->name];
      if (rule.rule->effect == Effect::permit) {
        const bool is_of_target = rule.rule->target == RuleTarget::tools;
        if (!is_of_target || !may) continue;
        if (rule.matches && certain_permit.empty()) certain_permit = rule.rule->name;
        if (!rule.matches) answer.permits.push_back(open_rule(rule.rule->name));
      } else if (rule.matches && !may) {
        answer.refusals.push_back(open_rule(rule.rule->name));
      }
    }
    if (!certain_permit.empty()) {
      answer.permits.clear();
      answer.rule = certain_permit;
    } else if (!answer.permits.empty()) {
      answer.rule = answer.permits.front().rule->name;
    }
  }

  const Config& config_;
  std::int64_t now_;
  JsonValue given_;
  Judge best_, worst_;
  Judge freed_;                     ///< As `best_`, without required permissions.
  std::optional<Judge> observing_;  ///< As `best_`, with `[policy]` observing.
  Config best_about_, worst_about_;
  RuleTracer best_rules_, worst_rules_;
  bool is_whole_;  ///< Profiles require nothing of open arguments.
};

/// The question answered, and what its tool requires beside the given arguments.
struct Asked {
  WhoCan who;
  std::vector<RequiredArgument> required = {};
};

Result<Asked> ask_all(const Config& config, const WhoCanQuestion& question) {
  const std::vector<PolicyCase> cases = calls_of(config, question);
  const auto policy = policy_as_sent(config, cases.back());
  const auto sent = CaseCall::make(cases.back().call, *policy, nullptr, question.now);
  if (!sent.has_value()) return std::unexpected(sent.error());
  const JsonValue given = (*sent)->call().message.arguments;
  if (!given.is(JsonType::object)) return fail(ErrorCode::invalid_params, Fault::client);
  const AskedCalls asked{.server = question.server, .tool = question.tool, .given = given};

  const DescribedDefinitions none;
  Definitions definitions(config, none);
  const ToolDefinition& whole = *definitions.find(cases.back().call);
  const ToolDefinition definition = partial_definition(whole);
  WhoCan all{.arguments = open_arguments(config, asked),
             .is_definition_assumed = !definitions.assumed().empty()};
  const EndpointViews endpoints(config);
  for (const auto& [name, endpoint] : config.endpoints) {
    if (!endpoints.shows(name, TargetKind::tool, question.server, question.tool))
      all.hidden_at.push_back(name);
  }
  const Asking asking(config, asked, question.now, cases,
                      find_missing(config, *policy, cases.back(), &definition, question.now));
  for (const PolicyCase& one : cases) {
    Result<WhoCanAnswer> answer = asking.ask(one, &definition, all.hidden_at.empty());
    if (!answer.has_value()) return std::unexpected(answer.error());
    all.answers.push_back(*std::move(answer));
  }
  all.policies = asking.policies();
  Asked answered{.who = std::move(all)};
  // The schema has another name of an argument than clients.
  const bool is_renamed = std::ranges::any_of(config.tools, [&](const ToolProfile& profile) {
    return !profile.renames.empty() && profile.pattern == question.server + "/" + question.tool;
  });
  if (!is_renamed) answered.required = required_arguments(whole, given);
  return answered;
}

/// Why every call is refused, whoever makes it: profiles let no value pass of an argument that the
/// schema requires. Nothing where they let some.
std::optional<CaseAnswer> find_refused(const Config& config, const WhoCanQuestion& question,
                                       const std::vector<RequiredArgument>& required) {
  const Judge judge(with_callers(config, {{}}));
  for (const RequiredArgument& argument : required) {
    if (argument.sample.empty()) continue;
    const std::string given = question.arguments.empty() ? "{}" : question.arguments;
    const DescribedCall call{.target_kind = TargetKind::tool,
                             .server = question.server,
                             .target = question.tool,
                             .method = "tools/call",
                             .arguments = with_argument(given, argument.name, argument.sample)};
    const auto made = CaseCall::make(call, *judge.policy, nullptr, question.now);
    if (!made.has_value()) continue;
    const ToolProfiles& profiles = judge.policy->profiles();
    const std::string pointer = pointer_below("", argument.name);
    const auto refused = [&pointer](Reason reason) {
      return CaseAnswer{.check = "arguments", .decision = Decision::deny(reason, nullptr, pointer)};
    };
    const std::vector<std::string> unguarded = find_unguarded(profiles, (*made)->call());
    const bool is_unguarded = std::ranges::find(unguarded, pointer) != unguarded.end();
    for (const ArgumentGuard& guard : profiles.find((*made)->call())->guards) {
      const bool is_it = guard.segments.size() == 1 && !guard.segments.front().every_element &&
                         guard.segments.front().name == argument.name;
      if (is_it && guard.absent) return refused(Reason::argument_not_absent);
    }
    if (is_unguarded && !config.policy.allow_unguarded_arguments &&
        guards_values(profiles, (*made)->call())) {
      return refused(Reason::argument_unguarded);
    }
  }
  return std::nullopt;
}

/// Of whoever can call the tool by what the policy says, those whom it refuses each call that the
/// schema takes: the schema requires arguments, and may name their values.
Result<void> refuse_by_schema(const Config& config, const WhoCanQuestion& question, Asked& asked) {
  std::vector<WhoCanAnswer>& answers = asked.who.answers;
  const auto is_refused = [](const WhoCanAnswer& answer) { return answer.can == Can::never; };
  const auto refuse = [](WhoCanAnswer& answer, const CaseAnswer& refusal) {
    answer = {.caller = answer.caller,
              .name = answer.name,
              .answer = refusal,
              .rule = std::string(refusal.decision.rule_name())};
  };
  if (std::ranges::all_of(answers, is_refused)) return {};
  if (const auto refusal = find_refused(config, question, asked.required)) {
    for (WhoCanAnswer& answer : answers) {
      if (!is_refused(answer)) refuse(answer, *refusal);
    }
    return {};
  }
  const std::string given = question.arguments.empty() ? "{}" : question.arguments;
  std::vector<CaseAnswer> refusals(answers.size());
  std::vector<bool> may(answers.size(), false);
  const auto combinations = combined_arguments(given, asked.required, kCombinationsMax);
  for (const std::string& arguments : combinations) {
    WhoCanQuestion narrower = question;
    narrower.arguments = arguments;
    const Result<Asked> one = ask_all(config, narrower);
    if (!one.has_value()) return std::unexpected(one.error());
    std::ranges::copy(one->who.policies, std::back_inserter(asked.who.policies));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!is_refused(one->who.answers[i])) may[i] = true;
      refusals[i] = one->who.answers[i].answer;
    }
  }
  for (std::size_t i = 0; i < answers.size() && !combinations.empty(); ++i) {
    if (!may[i] && !is_refused(answers[i])) refuse(answers[i], refusals[i]);
  }
  return {};
}

}  // namespace

Result<WhoCan> who_can(const Config& config, const WhoCanQuestion& question) {
  Result<Asked> asked = ask_all(config, question);
  if (!asked.has_value()) return std::unexpected(asked.error());
  // What is only observed is refused to nobody.
  if (config.policy.mode != PolicySettings::Mode::observe) {
    const Result<void> refused = refuse_by_schema(config, question, *asked);
    if (!refused.has_value()) return std::unexpected(refused.error());
  }
  return std::move(asked->who);
}

}  // namespace bartizan
