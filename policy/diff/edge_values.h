#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A name that the pattern matches: `name` stands where it has one or more asterisks.
std::string filled_pattern(std::string_view pattern, std::string_view name);

/// Values at the edges of what a predicate holds for, as JSON: the first is one that it most likely
/// allows, and some of the others are just outside. What two policies say of the values of both
/// shows where they part.
std::vector<std::string> edge_values(const Config& config, const Predicate& predicate);

/// A value that a JSON Schema most likely accepts, as JSON: what it names itself, or the smallest
/// of its type.
std::string likely_value(JsonValue schema);

/// JSON arguments with these values at their pointers; `*` and numbers make an array. Nothing where
/// two pointers want different things of one place.
std::string arguments_with(const std::map<std::string, std::string>& values);

}  // namespace bartizan
