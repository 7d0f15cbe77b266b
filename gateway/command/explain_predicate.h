#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/record.h"
#include "config/config.h"
#include "policy/verdict/outside_refusal.h"

namespace bartizan {

/// The argument that a detail is about, and what the world outside said against it.
struct ToldArgument {
  std::string_view pointer = {};  ///< Empty where it is about none.
  OutsideRefusal outside = OutsideRefusal::none;
};
/// Reads the detail of a record: `argument /path`, `argument /path is a directory, not a file`.
/// Lifetime: views it.
ToldArgument told_argument(std::string_view detail);

/// What a value must be to satisfy a predicate, for people: `a number from 1 to 10000`.
std::string told_predicate(const Predicate& predicate, const Config& config);

/// What the predicates of a configuration ask of the argument that a record names, each with the
/// profile that asks: `a number from 1 to 10000 by [tool."files/*"]`. Each once, in the order of
/// the profiles; none for a record of no argument.
std::vector<std::string> what_is_asked(const Record& record, const Config& config);

/// The roots that the argument is held to, each with its name: `/srv/data of [path.docs]`.
std::vector<std::string> roots_of(const Record& record, const Config& config);

}  // namespace bartizan
