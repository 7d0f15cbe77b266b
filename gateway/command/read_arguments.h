#pragma once

#include <expected>
#include <string>
#include <vector>

namespace bartizan {

/// Converts arguments of a call on the command line to one JSON object. Empty without arguments.
///
/// Input:  each `NAME=VALUE` or `POINTER=VALUE`: `path=/srv/a.md`, `/options/limit=10`. A value
///         that is not JSON is a string.
/// Errors: a sentence about the first invalid argument.
std::expected<std::string, std::string> read_arguments(const std::vector<std::string>& arguments);

}  // namespace bartizan
