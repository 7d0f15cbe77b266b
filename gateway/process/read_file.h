#pragma once

#include <string>

#include "schemas/base/result.h"

namespace bartizan {

/// All bytes of a file.
/// Errors: io_failed; the detail names the path and the system's reason. A folder is an error.
/// Cost:   the whole file in memory: for files of the operator or of the gateway itself.
Result<std::string> read_file(const std::string& path);

}  // namespace bartizan
