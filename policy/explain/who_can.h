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

/// The question which callers can call a tool.
struct WhoCanQuestion {
  std::string server = {};
  std::string tool = {};
  /// A JSON object with the known arguments; empty for none. All others are open.
  std::string arguments = {};
  /// Seconds since 1970 UTC. Entries that have expired by then do not count. Times of day are open.
  std::int64_t now = 0;
};

/// A rule with the open entries of its `when` and `unless`.
struct OpenRule {
  const RuleConfig* rule = nullptr;
  RuleConditions when = {}, unless = {};
};

/// The answer of the policy for the calls of one caller.
struct WhoCanAnswer {
  enum class Caller : std::uint8_t {
    principal,
    role,    ///< A caller with this role and no other.
    nobody,  ///< A caller without any role, such as a token's user to whom no claim gives a role.
  };
  enum class Can : std::uint8_t {
    always,     ///< Whatever the open values are.
    sometimes,  ///< Under the conditions below.
    never,
  };

  Caller caller = Caller::principal;
  std::string name = {};  ///< Of the principal or the role.
  Can can = Can::never;
  CaseAnswer answer = {};  ///< The permit or the refusal.
  std::string rule = {};   ///< The rule that permits or refuses it; empty if none does.

  // The conditions of `sometimes`, beside those in `WhoCan` that bind everyone.

  /// One of these permits must match. Empty if another permit always matches.
  std::vector<OpenRule> permits = {};
  /// None of these may match. A call that needs an approval must have it.
  std::vector<OpenRule> refusals = {};
  std::vector<std::string> permissions =
      {};  ///< Permissions that the role lacks, and another role may give.
  std::vector<std::string> outside = {};  ///< Facts about the disk or DNS, as `text(FactQuery)`.
  bool only_observed = false;             ///< `[policy]` observes; it would be refused otherwise.
};

/// The answers for all callers of a configuration.
struct WhoCan {
  /// These, and the configuration of the question, own the objects that the answers point to.
  std::vector<std::shared_ptr<const Policy>> policies = {};
  std::vector<WhoCanAnswer> answers =
      {};  ///< Principals, then roles, by name; then the caller without roles.
  std::vector<OpenArgument> arguments = {};  ///< Requirements of profiles for open arguments.
  std::vector<std::string> hidden_at = {};   ///< Endpoints that do not show the tool.
  bool is_definition_assumed = false;        ///< See `assume_definition`.
};

/// Asks the checks about calls of a tool: by each principal, by a caller with each role, and by a
/// caller without roles. Each is asked twice: with all open values in the caller's favour, and
/// against it.
///
/// `never` is certain: no call of the question is permitted. Calls have the arguments that the
/// tool's schema requires, and the values that it names for them, if `required_arguments` knows
/// both and there are at most 16 combinations. `always` is certain, too, with two limits. The call
/// has no arguments beside the question's if predicates are about any, and the server's own schema
/// accepts its arguments. `sometimes` may depend on conditions that exclude each other. Limits,
/// flows, circuit breakers and authentication are not asked.
///
/// Input:    a configuration that loads, and has the server.
/// Errors:   invalid_params if the arguments are not a JSON object.
/// Lifetime: points into the configuration.
/// Cost:     compiles up to four policies, and the rules about the tool one by one; the same for
///           each combination of values that the schema requires.
Result<WhoCan> who_can(const Config& config, const WhoCanQuestion& question);

}  // namespace bartizan
