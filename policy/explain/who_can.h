#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/check/compile_policy.h"
#include "policy/explain/case_call.h"
#include "policy/explain/open_conditions.h"

namespace bartizan {

/// Who can call a tool?
struct WhoCanQuestion {
  std::string server = {};
  std::string tool = {};
  /// A JSON object with the arguments that are known; empty for none. All others are open.
  std::string arguments = {};
  /// Seconds since 1970 UTC: what has ended by then is gone. Times of day are open.
  std::int64_t now = 0;
};

/// A rule with the entries of its `when` and `unless` that are open.
struct OpenRule {
  const RuleConfig* rule = nullptr;
  RuleConditions when = {}, unless = {};
};

/// What the policy says of one caller's calls.
struct WhoCanAnswer {
  enum class Caller : std::uint8_t {
    principal,
    role,    ///< Somebody with this role, and no other.
    nobody,  ///< Somebody without any role, such as a token's user to whom no claim gives one.
  };
  enum class Can : std::uint8_t {
    always,     ///< Whatever is open.
    sometimes,  ///< Under the conditions below.
    never,
  };

  Caller caller = Caller::principal;
  std::string name = {};  ///< Of the principal or the role.
  Can can = Can::never;
  CaseAnswer answer = {};  ///< The permit or the refusal.
  std::string rule = {};   ///< That permits or refuses it; empty where none does.

  // What has to hold where it can `sometimes`, beside what `WhoCan` has for everyone.

  /// One of these permits matches. Empty where one does anyway.
  std::vector<OpenRule> permits = {};
  /// None of these matches; a call that wants an approval has it.
  std::vector<OpenRule> refusals = {};
  std::vector<std::string> permissions = {};  ///< That the role has not, and another may give.
  std::vector<std::string> outside = {};      ///< What the disk or DNS says, as `text(FactQuery)`.
  bool only_observed = false;                 ///< `[policy]` observes, and would refuse it else.
};

/// The answers for all callers that a configuration has.
struct WhoCan {
  /// Own what the answers point to, with the configuration of the question.
  std::vector<std::shared_ptr<const Policy>> policies = {};
  std::vector<WhoCanAnswer> answers = {};    ///< Principals, then roles, by their names.
  std::vector<OpenArgument> arguments = {};  ///< What profiles ask of open arguments.
  std::vector<std::string> hidden_at = {};   ///< Endpoints at which the tool is not there.
  bool is_definition_assumed = false;        ///< See `assume_definition`.
};

/// Asks the checks about calls of a tool by each principal, by somebody with each role, and by
/// somebody without any: once with all that is open turned out for the caller, and once against.
///
/// `never` is certain: no call that the question is about is permitted. `always` is, too, for calls
/// without other arguments than the question's where predicates are about any, and as far as the
/// server's own schema lets arguments pass. `sometimes` may hold under conditions that exclude each
/// other. Not asked are limits, flows, circuit breakers and what lets callers in.
///
/// Input:    a configuration that loads, and has the server.
/// Errors:   invalid_params where the arguments are no JSON object.
/// Lifetime: points into the configuration.
/// Cost:     compiles up to four policies, and the rules about the tool one by one.
Result<WhoCan> who_can(const Config& config, const WhoCanQuestion& question);

}  // namespace bartizan
