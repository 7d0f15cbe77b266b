#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "policy/check/tool_profiles.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// What happens to arguments that no predicate names, if the tool has any predicate.
enum class Unguarded : std::uint8_t { refuse, allow };

/// Does every predicate of the tool's profiles hold for every value that its pointer selects?
///
/// A pointer that selects nothing denies unless every profile with it says `optional` or `absent`;
/// these excuse a missing member or an empty array, never another shape. `*` selects the elements
/// of an array. Once there is a predicate other than `absent`, every scalar, null and empty object
/// in the arguments must be selected by one. The decision's pointer names the first value refused,
/// with the index where it was an element.
///
/// Cost: one pass over the arguments and one over each value that is selected; no memory where
///       nothing is refused and at most 64 values are selected. Patterns of one call may take
///       `limits::schema_steps_max` together.
Decision check_arguments(const ToolProfiles& profiles,
                         const std::map<std::string, ServerConfig, std::less<>>& servers,
                         Unguarded unguarded, const Call& call);

/// The scalars, nulls and empty objects among the arguments of a call that no predicate of the
/// tool's profiles selects, each by its pointer.
std::vector<std::string> find_unguarded(const ToolProfiles& profiles, const Call& call);

/// Whether any profile of the tool has a predicate on values, so that all values must be selected.
bool guards_values(const ToolProfiles& profiles, const Call& call);

}  // namespace bartizan
