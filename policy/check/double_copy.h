#pragma once

#include <optional>
#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// A JSON value as a program reads it that uses doubles for all numbers but integers of 64 bits.
struct DoubleCopy {
  std::string text;
  JsonValue first;  ///< The first number that is read differently, in the value itself.
};

/// Nothing if all numbers are read as they are written: then nothing is copied.
///
/// Cost: a look at each number that is not short. Almost no value has one with two readings.
std::optional<DoubleCopy> copy_as_doubles(JsonValue value);

}  // namespace bartizan
