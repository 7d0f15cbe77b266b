#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A name that the pattern matches: `name` replaces each run of asterisks.
std::string filled_pattern(std::string_view pattern, std::string_view name);

/// Values at the edges of a predicate, as JSON. The first is one that it most likely accepts; some
/// of the others are just outside. The values of two policies together show where their answers
/// differ.
std::vector<std::string> edge_values(const Config& config, const Predicate& predicate);

/// A value, as JSON, that a JSON Schema most likely accepts: one that it names, or the smallest of
/// its type.
std::string likely_value(JsonValue schema);

/// JSON arguments with these values at their pointers; `*` and numbers make an array. Nothing if
/// two pointers conflict at one place.
std::string arguments_with(const std::map<std::string, std::string>& values);

}  // namespace bartizan
