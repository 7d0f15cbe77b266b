#pragma once

#include <map>
#include <string>

#include "schemas/base/result.h"

namespace bartizan {

/// What a child is given, by name.
using Environment = std::map<std::string, std::string>;

/// The file that a command names: an absolute path, or a plain name looked up in PATH (that of
/// `environment`, or ours where it has none).
/// Errors:  server_failed, with the name; a path that is neither absolute nor plain is refused.
Result<std::string> find_program(const std::string& name, const Environment& environment);

}  // namespace bartizan
