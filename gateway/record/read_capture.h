#pragma once

#include <string>

#include "policy/learn/capture.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Reads a capture from its file, and first from the older one beside it, `FILE.1`, where there is
/// one.
/// Errors: io_failed where it cannot be read, config_invalid where it is no capture.
/// Cost:   memory for all of it.
Result<Capture> read_capture(const std::string& path);

}  // namespace bartizan
