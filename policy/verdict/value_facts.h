#pragma once

#include <cstdint>
#include <string_view>

#include "policy/verdict/gathered_facts.h"
#include "policy/verdict/outside_refusal.h"
#include "policy/verdict/reason.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_equal.h"

namespace bartizan {

/// What a tool may do to what its arguments name, as far as people have approved it.
enum class ToolEffect : std::uint8_t { reads, may_write };

/// What judging the values of one call, or by one rule, shares.
struct ValueFacts {
  std::string_view cwd;  ///< In which the server runs; empty where nobody knows.
  StepBudget steps{limits::schema_steps_max};  ///< For the patterns of all values together.
  ToolEffect effect = ToolEffect::may_write;
  FactSource outside = {};
  /// While questions are found: one was that nobody has answered yet, so what a predicate says
  /// stands for nothing.
  bool is_open = false;
  /// Why the value that was judged last was refused, where the world outside is why.
  OutsideRefusal refusal = OutsideRefusal::none;

  /// What was found out; null where nobody has asked, which is noted while questions are found, and
  /// where there are no steps left to look.
  const Finding* look(FactQuery::Kind kind, std::string_view root, std::string_view name);
  /// The reason, of which it is noted what the world outside has to do with it.
  Reason refuse(Reason reason, OutsideRefusal because);
};

}  // namespace bartizan
