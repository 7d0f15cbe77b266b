#pragma once

#include <string>
#include <vector>

#include "audit/record.h"
#include "config/config.h"

namespace bartizan {

/// What the predicates of a configuration ask of the argument that a record names, each with the
/// profile that asks: `a number from 1 to 10000 by [tool."files/*"]`. Each once, in the order of
/// the profiles; none for a record of no argument.
std::vector<std::string> what_is_asked(const Record& record, const Config& config);

/// The roots that the argument is held to, each with its name: `/srv/data of [path.docs]`.
std::vector<std::string> roots_of(const Record& record, const Config& config);

}  // namespace bartizan
