#pragma once

#include <map>
#include <string>

#include "schemas/base/result.h"

namespace bartizan {

/// A child's environment variables, by name.
using Environment = std::map<std::string, std::string>;

/// The file of a command: an absolute path, or a plain name looked up in PATH. PATH is that of
/// `environment`, or the gateway's if `environment` has none.
/// Errors:  server_failed, with the name; a path that is neither absolute nor plain is refused.
Result<std::string> find_program(const std::string& name, const Environment& environment);

}  // namespace bartizan
