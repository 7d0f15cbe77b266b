#pragma once

#include <optional>
#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// A JSON value as programs read it that have doubles for all but integers of 64 bits.
struct DoubleCopy {
  std::string text;
  JsonValue first;  ///< The first number that they read otherwise, in the value itself.
};

/// Nothing where they read all of the value as it is: then nothing is copied.
///
/// Cost: a look at each number that is not short; nearly no value has one with two readings.
std::optional<DoubleCopy> copy_as_doubles(JsonValue value);

}  // namespace bartizan
