#pragma once

#include <string_view>

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// `when` or `unless` of a rule: keys that begin with `/` are pointers into the arguments of a
/// tool, each with one predicate; others name facts. Errors: reported where they stand: an entry
/// that is neither, pointers in a rule without `tools`,
///         and a table without entries, which would say nothing though it looks as if it did.
RuleConditions load_conditions(TableReader& rule, std::string_view key, RuleTarget target,
                               const Config& config);

}  // namespace bartizan
