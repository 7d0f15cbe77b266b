#pragma once

#include <expected>
#include <string>
#include <vector>

namespace bartizan {

/// Arguments of a call as a command line has them, as one JSON object; empty where there are none.
///
/// Input:  each `NAME=VALUE` or `POINTER=VALUE`: `path=/srv/a.md`, `/options/limit=10`. A value
/// that
///         is not JSON is a string.
/// Errors: a sentence about the first one that is wrong.
std::expected<std::string, std::string> read_arguments(const std::vector<std::string>& arguments);

}  // namespace bartizan
