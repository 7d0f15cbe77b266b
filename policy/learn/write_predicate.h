#pragma once

#include <string>

#include "config/config.h"

namespace bartizan {

/// The predicate of an argument as an inline table of TOML.
std::string write_predicate(const ArgumentPredicate& argument);

/// `when` or `unless` of a rule as an inline table of TOML.
std::string write_conditions(const RuleConditions& conditions);

}  // namespace bartizan
