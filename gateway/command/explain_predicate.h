#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/record.h"
#include "config/config.h"
#include "policy/verdict/outside_refusal.h"

namespace bartizan {

/// The argument in a record's detail, and the outside reason of its refusal.
struct ToldArgument {
  std::string_view pointer = {};  ///< Empty if the detail names no argument.
  OutsideRefusal outside = OutsideRefusal::none;
};
/// Parses the detail of a record: `argument /path`, `argument /path is a directory, not a file`.
/// Lifetime: views it.
ToldArgument told_argument(std::string_view detail);

/// The values that satisfy a predicate, for people: `a number from 1 to 10000`.
std::string told_predicate(const Predicate& predicate, const Config& config);

/// The configuration's predicates on the argument that a record names, each with its profile: `a
/// number from 1 to 10000 by [tool."files/*"]`. Distinct, in the order of the profiles. Empty if
/// the record names no argument.
std::vector<std::string> what_is_asked(const Record& record, const Config& config);

/// The roots that confine the argument, each with its name: `/srv/data of [path.docs]`.
std::vector<std::string> roots_of(const Record& record, const Config& config);

}  // namespace bartizan
