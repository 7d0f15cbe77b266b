#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/check/compile_policy.h"
#include "policy/explain/trace_rules.h"
#include "policy/verdict/call.h"
#include "policy/verdict/pipeline.h"

namespace bartizan {

/// A permission that the profiles of a tool require.
struct PermissionAnswer {
  std::string permission = {};
  bool is_held = false;
};

/// The answer of one predicate of one profile. The decision's pointer is that of the first refused
/// value.
struct PredicateAnswer {
  const ToolProfile* profile = nullptr;
  const ArgumentPredicate* predicate = nullptr;
  Decision decision = Decision::pass();
};

/// The answer to arguments that no predicate names.
enum class UnguardedAnswer : std::uint8_t {
  refused,  ///< Predicates are about other values of the tool.
  allowed,  ///< Predicates are about other values, and `unguarded_arguments` is `allow`.
  unasked,  ///< No predicate is about a value of the tool.
};

/// All that the decision about one call depends on.
struct CallTrace {
  std::vector<CheckAnswer> checks = {};  ///< In order, up to the check that decided.
  std::vector<RuleAnswer> rules = {};
  std::vector<PermissionAnswer> permissions = {};
  std::vector<PredicateAnswer> predicates = {};
  std::vector<std::string> unguarded = {};  ///< Pointers to arguments that no predicate names.
  UnguardedAnswer unguarded_answer = UnguardedAnswer::refused;  ///< The answer to these.
  std::vector<std::string> limits = {};  ///< Names of the limits that the call would be charged to.
  /// Facts that rules about this caller ask for and the call lacks. Facts about the disk and DNS
  /// are named as in a description: `places "/srv/data/a.md"`.
  std::vector<std::string> missing_facts = {};
};

/// Asks every part of the policy about a call, each alone, through the code that decides. The same
/// call and the same policy have the same trace.
///
/// Input:    `config` is the configuration that `policy` was compiled from. The call stays
///           unchanged.
/// Lifetime: points into both.
CallTrace trace_call(const Config& config, const Policy& policy, const Call& call);

}  // namespace bartizan
