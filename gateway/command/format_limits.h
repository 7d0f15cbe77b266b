#pragma once

#include <string>

#include "config/config.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// One limit as a sentence: `tool: 100/s, 3000/min for each principal and tool (default)`.
std::string format_limit(const LimitConfig& limit);

/// One limit as a JSON object, for programs.
JsonObject limit_json(const LimitConfig& limit);

}  // namespace bartizan
