#pragma once

#include <string_view>

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// `when` or `unless` of a rule. Keys that start with `/` are pointers into a tool's arguments,
/// each with one predicate. Other keys are facts.
/// Errors: reported at their places: an entry of neither kind, pointers in a rule without `tools`,
///         and an empty table, which would have no effect despite its look.
RuleConditions load_conditions(TableReader& rule, std::string_view key, RuleTarget target,
                               const Config& config);

}  // namespace bartizan
