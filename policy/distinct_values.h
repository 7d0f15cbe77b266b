#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// A predicate of one of two configurations, where it is judged.
struct AskedPredicate {
  const Config* config = nullptr;
  const Predicate* predicate = nullptr;
  std::string_view cwd = {};  ///< Of the server; empty where nobody knows.
};

/// Of values, as JSON, the first of those of which all these predicates say the same, whatever a
/// tool may do and whatever is on the disk; in front one that most of them let pass. All of them
/// where a predicate asks what cannot be known by the value, such as where a name leads.
std::vector<std::string> distinct_values(std::vector<std::string> values,
                                         const std::vector<AskedPredicate>& asked);

}  // namespace bartizan
