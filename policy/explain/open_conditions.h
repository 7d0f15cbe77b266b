#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/json/json.h"

namespace bartizan {

// A question about calls of a tool says less than a call does: where the client is, when it calls
// and most of its arguments are open. What is open may turn out in favour of the caller or against
// it. These functions write both into a configuration, which the checks then judge as any other.

/// Which calls a question is about. Lifetime: views what it was made from.
struct AskedCalls {
  std::string_view server, tool;
  JsonValue given = {};  ///< The arguments that the question has, as the server reads them.
};

/// Whether a condition asks what differs from call to call, and the question does not say.
bool is_open(const FactCondition& fact);
bool is_open(const ArgumentPredicate& argument, JsonValue given);
/// The entries of `when` or `unless` that are open.
RuleConditions open_entries(const RuleConditions& conditions, JsonValue given);

/// Whether a rule has a say in calls of that tool.
bool is_about_calls(const RuleConfig& rule, const AskedCalls& asked);

/// What a profile asks of arguments that the question leaves open.
struct OpenArgument {
  const ToolProfile* profile = nullptr;
  const ArgumentPredicate* predicate = nullptr;  ///< Null: the profile's schema.
};
/// Lifetime: points into the configuration.
std::vector<OpenArgument> open_arguments(const Config& config, const AskedCalls& asked);

/// The configuration in which all that is open turns out for the caller, as far as it could: what
/// it refuses, every such call is refused. A mode of `[policy]` stays.
Config config_at_best(const Config& config, const AskedCalls& asked);
/// The configuration in which it turns out against the caller, the mode of `[policy]` and the end
/// of permits with it: a call without facts that it permits is permitted whatever they are. What
/// profiles ask of open arguments is left out.
Config config_at_worst(const Config& config, const AskedCalls& asked);

}  // namespace bartizan
