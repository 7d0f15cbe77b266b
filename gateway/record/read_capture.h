#pragma once

#include <string>

#include "policy/learn/capture.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Reads a capture: the older file beside it first, `FILE.1`, if there is one, then the file.
/// Errors: io_failed if it cannot be read, config_invalid if it is not a capture.
/// Cost:   memory for all of it.
Result<Capture> read_capture(const std::string& path);

}  // namespace bartizan
