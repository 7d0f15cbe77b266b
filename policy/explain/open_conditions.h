#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/json/json.h"

namespace bartizan {

// A question about calls of a tool gives less than a call: the client's place, the time and most
// arguments are open. An open value may favour the caller or not. These functions write either
// outcome into a configuration. The checks then judge it as any other.

/// The calls that a question is about. Lifetime: views the question.
struct AskedCalls {
  std::string_view server, tool;
  JsonValue given = {};  ///< The arguments in the question, as the server reads them.
};

/// Whether a condition depends on a value that differs from call to call and is not in the
/// question.
bool is_open(const FactCondition& fact);
bool is_open(const ArgumentPredicate& argument, JsonValue given);
/// The entries of `when` or `unless` that are open.
RuleConditions open_entries(const RuleConditions& conditions, JsonValue given);

/// Whether a rule applies to calls of that tool.
bool is_about_calls(const RuleConfig& rule, const AskedCalls& asked);

/// A requirement of a profile for arguments that the question leaves open.
struct OpenArgument {
  const ToolProfile* profile = nullptr;
  const ArgumentPredicate* predicate = nullptr;  ///< Null: the profile's schema.
};
/// All such requirements. Lifetime: points into the configuration.
std::vector<OpenArgument> open_arguments(const Config& config, const AskedCalls& asked);

/// The configuration in which all open values favour the caller, as far as possible. If it refuses
/// a call, every call of the question is refused. The mode of `[policy]` stays.
/// Input: the names of refusals whose `when` can be false by entries that are not open.
Config config_at_best(const Config& config, const AskedCalls& asked,
                      const std::set<std::string>& missing);
/// The configuration in which all open values are against the caller. It enforces, and permits that
/// expire have expired. If it permits a call without facts, the call is permitted with any facts.
/// Requirements of profiles for open arguments are left out.
Config config_at_worst(const Config& config, const AskedCalls& asked);

}  // namespace bartizan
