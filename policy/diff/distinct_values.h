#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/diff/edge_schemas.h"

namespace bartizan {

/// A predicate of one of two configurations, where it is judged.
struct AskedPredicate {
  const Config* config = nullptr;
  const Predicate* predicate = nullptr;
  std::string_view cwd = {};  ///< Of the server; empty where nobody knows.
};

/// What both configurations say of one argument.
struct AskedOfArgument {
  const std::string& pointer;
  const std::vector<AskedPredicate>& predicates;
  const EdgeSchemas& schemas;
};

/// Of values, as JSON, the first of those of which all these predicates and schemas say the same,
/// whatever a tool may do and whatever is on the disk; in front one that most of them let pass. All
/// of them where a predicate asks what cannot be known by the value, such as where a name leads, or
/// a schema what only another argument tells.
std::vector<std::string> distinct_values(std::vector<std::string> values,
                                         const AskedOfArgument& asked);

/// The one of these values, at least one, that most of what is asked lets pass; of several, the
/// first.
std::string likeliest_value(const std::vector<std::string>& values, const AskedOfArgument& asked);

}  // namespace bartizan
