#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "policy/call.h"
#include "policy/compile_policy.h"
#include "policy/pipeline.h"
#include "policy/trace_rules.h"

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

/// Everything that a decision goes by, of one call.
struct CallTrace {
  std::vector<CheckAnswer> checks = {};  ///< In their order, up to the one that decided.
  std::vector<RuleAnswer> rules = {};
  std::vector<PermissionAnswer> permissions = {};
  std::vector<PredicateAnswer> predicates = {};
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
