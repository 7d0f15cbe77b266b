#pragma once

#include <cstdint>
#include <string_view>

#include "policy/verdict/gathered_facts.h"
#include "policy/verdict/outside_refusal.h"
#include "policy/verdict/reason.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_equal.h"

namespace bartizan {

/// Whether a tool only reads what its arguments name, by its approved definition.
enum class ToolEffect : std::uint8_t { reads, may_write };

/// The state that all values of one call, or of one rule, share while they are judged.
struct ValueFacts {
  std::string_view cwd;                        ///< The server's working folder; empty if unknown.
  StepBudget steps{limits::schema_steps_max};  ///< For the patterns of all values together.
  ToolEffect effect = ToolEffect::may_write;
  FactSource outside = {};
  /// While questions are collected: a question is still open, so the result of a predicate does not
  /// count.
  bool is_open = false;
  /// Why the last value was refused, if the disk or a look-up is the reason.
  OutsideRefusal refusal = OutsideRefusal::none;

  /// The answer; null if it was not asked yet, or if no steps are left. While questions are
  /// collected, an unasked one is noted.
  const Finding* look(FactQuery::Kind kind, std::string_view root, std::string_view name);
  /// Returns the reason, and notes why the disk or a look-up refuses the value.
  Reason refuse(Reason reason, OutsideRefusal because);
};

}  // namespace bartizan
