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

/// One permission that the profiles of a tool ask for.
struct PermissionAnswer {
  std::string permission = {};
  bool is_held = false;
};

/// What one predicate of one profile says by itself; the pointer is that of the first value which
/// it refuses.
struct PredicateAnswer {
  const ToolProfile* profile = nullptr;
  const ArgumentPredicate* predicate = nullptr;
  Decision decision = Decision::pass();
};

/// What becomes of arguments that no predicate names.
enum class UnguardedAnswer : std::uint8_t {
  refused,  ///< Predicates are about other values of the tool.
  allowed,  ///< Predicates are about other values, and `unguarded_arguments` is `allow`.
  unasked,  ///< No predicate is about a value of the tool.
};

/// Everything that a decision goes by, of one call.
struct CallTrace {
  std::vector<CheckAnswer> checks = {};  ///< In their order, up to the one that decided.
  std::vector<RuleAnswer> rules = {};
  std::vector<PermissionAnswer> permissions = {};
  std::vector<PredicateAnswer> predicates = {};
  std::vector<std::string> unguarded = {};  ///< Pointers to arguments that no predicate names …
  UnguardedAnswer unguarded_answer = UnguardedAnswer::refused;  ///< … and what becomes of them.
  std::vector<std::string> limits = {};  ///< Names of those that it would be charged to.
  /// Facts that rules about this caller ask for, and that nobody has given; of the world outside,
  /// as a description names them: `places "/srv/data/a.md"`.
  std::vector<std::string> missing_facts = {};
};

/// Asks everything that has a say in a call, each by itself and through the code that decides: the
/// same call and the same policy have the same trace.
///
/// Input:    `config` is what `policy` was compiled from. The call is left as it is.
/// Lifetime: points into both.
CallTrace trace_call(const Config& config, const Policy& policy, const Call& call);

}  // namespace bartizan
