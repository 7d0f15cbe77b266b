#pragma once

#include <string>

#include "config/config.h"

namespace bartizan {

/// What is asked of an argument, as TOML's inline table.
std::string write_predicate(const ArgumentPredicate& argument);

/// `when` or `unless` of a rule, the same.
std::string write_conditions(const RuleConditions& conditions);

}  // namespace bartizan
