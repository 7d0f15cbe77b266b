#pragma once

#include <string>

#include "gateway/command_output.h"

namespace bartizan {

/// `bartizan check FILE`: everything that is wrong or doubtful with a configuration and its
/// policy, in one go. Answers kExitDone where the gateway would start with it, warnings or not.
int check_configuration(const std::string& file, const CommandOutput& output);

}  // namespace bartizan
