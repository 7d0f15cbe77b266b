#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// Values at the edges of what a predicate holds for, as JSON: the first is one that it most likely
/// allows, and some of the others are just outside. What two policies say of the values of both
/// shows where they part.
std::vector<std::string> edge_values(const Config& config, const Predicate& predicate);

/// JSON arguments with these values at their pointers; `*` and numbers make an array. Nothing where
/// two pointers want different things of one place.
std::string arguments_with(const std::map<std::string, std::string>& values);

}  // namespace bartizan
