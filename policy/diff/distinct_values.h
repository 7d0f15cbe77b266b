#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/diff/edge_schemas.h"

namespace bartizan {

/// A predicate of one of two configurations, with the server's working directory.
struct AskedPredicate {
  const Config* config = nullptr;
  const Predicate* predicate = nullptr;
  std::string_view cwd = {};  ///< Of the server; empty if it is not known.
};

/// The predicates and schemas of both configurations for one argument.
struct AskedOfArgument {
  const std::string& pointer;
  const std::vector<AskedPredicate>& predicates;
  const EdgeSchemas& schemas;
};

/// Drops each value, as JSON, to which all these predicates and schemas give the same answer as to
/// an earlier one. The answers cover every effect of a tool and every state of the disk. The value
/// that most of them accept comes first. Keeps all values if a predicate depends on more than the
/// value, such as where a name leads, or if a schema ties arguments together.
std::vector<std::string> distinct_values(std::vector<std::string> values,
                                         const AskedOfArgument& asked);

/// The value that most predicates and schemas accept; the first of several. Input: at least one
/// value.
std::string likeliest_value(const std::vector<std::string>& values, const AskedOfArgument& asked);

}  // namespace bartizan
